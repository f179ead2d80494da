import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { addressGroup, countingLimiter } from '#shared/stores/counting-limiter.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';

/** Period in which failures count (docs/contract.md "Authentication"). */
const WINDOW_S = 900;
/** Failed logins of a user from one address. A successful login resets the count. */
export const FAILURES_PER_USER = 10;
/** Counts that this process remembers, of some 100 bytes each. */
const MAX_COUNTS = 20_000;
/** How long an address is known to be a user's. */
const KNOWN_S = 30 * 24 * 3_600;
/** Most recent addresses kept for a user, which bounds the user's memory in Redis. */
const MAX_KNOWN = 100;

/** The keys under which a login is counted. They are digests, so that keys in Redis hold no name. */
export type LoginKeys = { user: string; address: string; pair: string };
/** Counts of the last 15 minutes. */
export type LoginFailures = { address: number; pair: number };
/** What failures are counted by. */
type Counted = keyof LoginFailures;
type Reached = { limit: `${Counted}_limit`; seconds: number };

export function loginKeys(username: string, from: string): LoginKeys {
  const address = addressGroup(from);
  return {
    user: hash('sha256', username, 'base64url'),
    address,
    pair: hash('sha256', `${username}\n${address}`, 'base64url'),
  };
}

/**
 * Counts failed logins by address, and by user and address together. Failures of a user from elsewhere do not count,
 * because otherwise anybody could lock a user out.
 */
export class LoginLimit {
  readonly perUser = FAILURES_PER_USER;
  readonly perAddress: number;
  readonly #redis: RedisClient;
  readonly #prefix: string;
  readonly #limiters: Readonly<Record<Counted, RateLimiterRedis>>;
  /** Failures as this process last read them, for as long as they count. */
  readonly #counts = new LRUCache<string, number>({ max: MAX_COUNTS });

  /** @param prefix of the keys. Each service that logs users in has its own prefix, and so its own counts. */
  constructor(redis: RedisClient, prefix: string, perAddress: number) {
    const limiter = (name: string, points: number) =>
      countingLimiter(redis, `${prefix}-${name}`, points, WINDOW_S);
    this.perAddress = perAddress;
    this.#redis = redis;
    this.#prefix = prefix;
    this.#limiters = { address: limiter('address', perAddress), pair: limiter('pair', this.perUser) };
  }

  /** Returns the reached limit that this process knows. Does not ask Redis, so that a flood stays cheap. */
  reached(keys: LoginKeys): Reached | undefined {
    return this.reachedBy('address', keys) ?? this.reachedBy('pair', keys);
  }

  /**
   * Returns one limit if this process knows that it is reached.
   * @param undecided failures that are being counted.
   */
  reachedBy(by: Counted, keys: LoginKeys, undecided = 0): Reached | undefined {
    const key = keys[by];
    const max = by === 'address' ? this.perAddress : this.perUser;
    if (this.#known(key) + undecided < max) return undefined;
    // The window of failures that Redis has not counted yet begins now.
    const seconds = this.#counts.has(key) ? Math.ceil(this.#counts.getRemainingTTL(key) / 1_000) : WINDOW_S;
    return { limit: `${by}_limit`, seconds: Math.max(1, seconds) };
  }

  /** Asks Redis for the failures, and adds those that this process has counted since. */
  async failures({ address, pair }: LoginKeys): Promise<LoginFailures> {
    const { address: byAddress, pair: byPair } = this.#limiters;
    const [ofAddress, ofPair] = await Promise.all([byAddress.get(address), byPair.get(pair)]);
    if (ofAddress && ofAddress.consumedPoints > this.#known(address)) this.#learn(address, ofAddress);
    if (ofPair && ofPair.consumedPoints > this.#known(pair)) this.#learn(pair, ofPair);
    return this.knownFailures({ address, pair });
  }

  /** Returns the failures that this process knows. Other processes may have counted more. */
  knownFailures({ address, pair }: Pick<LoginKeys, 'address' | 'pair'>): LoginFailures {
    return { address: this.#known(address), pair: this.#known(pair) };
  }

  /** Counts a failure by address and by pair, or by one of them. */
  async fail(keys: LoginKeys, ...by: Counted[]): Promise<void> {
    const counts = by.length > 0 ? by : (['address', 'pair'] as const);
    await Promise.all(
      counts.map(async (each) => this.#learn(keys[each], await this.#limiters[each].penalty(keys[each]))),
    );
  }

  /**
   * Forgets the user's failures from this address, and remembers the address as the user's.
   * @returns false if Redis did not take the address.
   */
  async succeed(keys: LoginKeys): Promise<boolean> {
    const isKnown = this.#makeKnown(keys).then(
      () => true,
      () => false,
    );
    await this.#limiters.pair.delete(keys.pair);
    this.#counts.delete(keys.pair);
    return isKnown;
  }

  #learn(key: string, { consumedPoints: failures, msBeforeNext }: RateLimiterRes): void {
    this.#counts.set(key, failures, { ttl: Math.max(1, msBeforeNext) }); // 0 would be for ever
  }

  #known(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  /** Returns whether the user logged in from this address in the last 30 days. */
  async knows({ user, pair }: LoginKeys): Promise<boolean> {
    const since = await this.#redis.zscore(`${this.#prefix}-known:${user}`, pair).catch(ignore);
    return Number(since ?? 0) > nowS() - KNOWN_S;
  }

  async #makeKnown({ user, pair }: LoginKeys): Promise<void> {
    const key = `${this.#prefix}-known:${user}`;
    await Promise.all([
      this.#redis.zadd(key, nowS(), pair),
      this.#redis.zremrangebyrank(key, 0, -1 - MAX_KNOWN),
      this.#redis.expire(key, KNOWN_S),
    ]);
  }
}

/** Without Redis every address is unknown, and logins still work. */
function ignore(): void {}

function nowS(): number {
  return Math.floor(Date.now() / 1_000);
}
