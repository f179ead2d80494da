import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { LruMap } from 'toad-cache';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import { KnownAddresses } from './known-addresses.ts';
import type { LoginKeys } from './login-keys.ts';
import { LoginRefusal } from './login-refusal.ts';

/** Failed logins are counted over this time, in seconds (docs/contract.md "Authentication"). */
const WINDOW_S = 900;
/**
 * How long a refusal is repeated from memory, in ms: a flood then asks Redis once in that time. It is short, since a
 * count may fall again: it holds attempts under way, which are given back when their password is right.
 */
const REPEAT_MS = 5_000;
/** Refusals in memory, of some 200 bytes each. */
const MAX_REFUSALS = 10_000;

/** Recent failures, and whether the user logged in from this address of late. */
export type LoginHistory = { user: number; address: number; pair: number; known: boolean };

type Limit = 'address_limit' | 'pair_limit';

/**
 * Limits failed logins by address, and by user and address together; the counts are in Redis, so all processes share
 * them. Failures of a user from all addresses are counted too, but limit nothing: otherwise anybody could lock a user out.
 *
 * An attempt is counted before the password is checked, and given back when the password is right. If it were
 * counted afterwards, two hundred guesses at the same time would all be checked.
 */
export class LoginLimit {
  readonly #redis: RedisClient;
  readonly #limiters: Readonly<Record<keyof LoginKeys, RateLimiterRedis>>;
  readonly #known: KnownAddresses;
  readonly #refusals = new LruMap<{ until: number; retryAt: number }>(MAX_REFUSALS);

  /** @param prefix of the keys; each service that logs users in has its own, and so its own counts. */
  constructor(redis: RedisClient, prefix: string, limits: { perUser: number; perAddress: number }) {
    this.#redis = redis;
    const limiter = (name: string, points: number) =>
      new RateLimiterRedis({
        storeClient: redis,
        keyPrefix: `${prefix}-${name}`,
        points,
        duration: WINDOW_S,
      });
    this.#limiters = {
      user: limiter('user', Number.MAX_SAFE_INTEGER),
      address: limiter('address', limits.perAddress),
      pair: limiter('pair', limits.perUser),
    };
    this.#known = new KnownAddresses(redis, `${prefix}-known`);
  }

  /** @throws LoginRefusal where the address, or the user from there, was refused a moment ago; asks nobody. */
  repeatRefusal({ address, pair }: LoginKeys): void {
    this.#repeat('address_limit', address);
    this.#repeat('pair_limit', pair);
  }

  /** Reads what is known of an attempt before it takes a place. @throws LoginRefusal where a limit is reached. */
  async historyOf(keys: LoginKeys): Promise<LoginHistory> {
    const { user, address, pair } = keys;
    const { user: byUser, address: byAddress, pair: byPair } = this.#limiters;
    // Not `get` of each limiter: a transaction each costs ten times as much, at a thousand attempts a second.
    const [counts, known] = await Promise.all([
      this.#redis.mget(byUser.getKey(user), byAddress.getKey(address), byPair.getKey(pair)),
      this.#known.has(keys),
    ]);
    const [ofUser = 0, ofAddress = 0, ofPair = 0] = counts.map(Number);
    if (ofAddress >= byAddress.points) this.#refuse('address_limit', address, await byAddress.get(address));
    if (ofPair >= byPair.points) this.#refuse('pair_limit', pair, await byPair.get(pair));
    return { user: ofUser, address: ofAddress, pair: ofPair, known };
  }

  /** Counts one attempt. @throws LoginRefusal where it is one too many. */
  async consume({ user, address, pair }: LoginKeys): Promise<void> {
    const { address: byAddress, pair: byPair, user: byUser } = this.#limiters;
    await Promise.all([
      byAddress.consume(address).catch((reason) => this.#refuse('address_limit', address, reason)),
      byPair.consume(pair).catch((reason) => this.#refuse('pair_limit', pair, reason)),
      byUser.consume(user),
    ]);
  }

  /** Forgets the failures of the user from this address and gives the attempt back, since the password was right. */
  async reset(keys: LoginKeys): Promise<void> {
    const { user, address, pair } = keys;
    await Promise.all([
      this.#limiters.pair.delete(pair),
      this.#limiters.address.reward(address),
      this.#limiters.user.reward(user),
      this.#known.add(keys),
    ]);
  }

  #repeat(limit: Limit, key: string): void {
    const now = performance.now();
    const refusal = this.#refusals.get(key);
    if (!refusal || refusal.until < now) return;
    throw new LoginRefusal(limit, { seconds: seconds(refusal.retryAt - now), repeated: true });
  }

  /** @param reason the limiter's answer where the limit is reached, null when it ended just now, else Redis' error. */
  #refuse(limit: Limit, key: string, reason: unknown): never {
    if (reason !== null && !(reason instanceof RateLimiterRes)) throw reason;
    const ms = reason?.msBeforeNext ?? 0;
    const now = performance.now();
    this.#refusals.set(key, { until: now + Math.min(REPEAT_MS, ms), retryAt: now + ms });
    throw new LoginRefusal(limit, { seconds: seconds(ms) });
  }
}

/** Rounds up to whole seconds, one at least. */
function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000));
}
