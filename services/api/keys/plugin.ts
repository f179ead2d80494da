import fp from 'fastify-plugin';
import { LRUCache } from 'lru-cache';
import { type LoginAttempt, LoginRefusal } from '#shared/accounts/login.ts';
import { type LoginKeys, loginKeys } from '#shared/accounts/login-limit.ts';
import type { ApiUser } from '#shared/accounts/user-store.ts';
import { Tally } from '#shared/async/tally.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { FailureLog } from '#shared/observability/failure-log.ts';
import type { BearerKind } from '../accounts/bearer.ts';
import { openIndexes } from '../platform/stores.ts';
import { digestOf, isKey, looksLikeKey } from './key.ts';
import { KEYS, type Key, KeyStore } from './key-store.ts';

declare module 'fastify' {
  interface FastifyInstance {
    keys: KeyStore;
  }
}
type Sender = Parameters<BearerKind['identify']>[1];

/** Keys in use that a process remembers, and addresses of keys, of some 100 bytes each. */
const MAX_IN_USE = 20_000;
/** How long a process relies on Redis having an address of a key, which Redis keeps for 30 days. */
const ADDRESS_NOTED_MS = 3_600_000;
/** When a key that came among too many at once may be sent again, in seconds. */
const RETRY_S = 2;
/** When the day of a use is stored again that MongoDB did not take. */
const STORE_AGAIN_MS = 60_000;
/** In place of the day of a use that is stored later. */
const LATER = Number.POSITIVE_INFINITY;

export const keysPlugin = fp(async (server: HttpServer) => {
  openIndexes(server, KEYS);
  const keys = new KeyStore(server.mongo);
  const find = finderOf(server, keys);
  server.decorate('keys', keys);
  server.bearerKinds.push({
    accepts: looksLikeKey,
    async identify(text, sender) {
      const key = isKey(text) ? await find(digestOf(text), sender) : undefined;
      const user = key && (await server.users.findRecent(key.username));
      if (!user) throw new DomainError('access-denied');
      return {
        user: cutDown(user, key),
        credential: key.start,
        ...(key.expiresAt && { expiresAt: key.expiresAt }),
      };
    },
  });
});

/** A key may do what its user may do at the moment, and of that only what the key names. */
function cutDown(user: ApiUser, { permissions }: Key): ApiUser {
  if (!permissions) return user;
  return { ...user, permissions: user.permissions.filter((each) => permissions.includes(each)) };
}

/**
 * Returns a function that finds a key by its digest. A wrong key counts as a failed login of its address, so that a flood
 * soon costs MongoDB nothing. A right key that this process has seen works also beside such a flood, and so does one that
 * another process has seen from that address.
 *
 * It throws LoginRefusal for a key that nobody knows, from an address with too many wrong ones, or too many at once.
 */
function finderOf({ loginLimit: limit, onLogin, log }: HttpServer, keys: KeyStore) {
  /** By digest, the day of its last use that this process has stored. */
  const inUse = new LRUCache<string, number>({ max: MAX_IN_USE });
  /** Keys with the addresses that they came from, as far as this process has told Redis. */
  const noted = new LRUCache<string, true>({ max: MAX_IN_USE, ttl: ADDRESS_NOTED_MS });

  /** Unknown keys that are being looked up, by address: no more than may still fail, or a burst takes all of MongoDB. */
  const lookedUp = new Tally();

  /** Their digests. One look-up serves all requests with a key. */
  const digests = new Set<string>();
  const uses = new FailureLog(log, {
    failed: `MongoDB did not store the day of a key's use; a use in ${STORE_AGAIN_MS / 1_000} s stores it`,
    recovered: 'MongoDB stores the days of keys again',
  });

  const report = (outcome: LoginAttempt['outcome'], sender: Sender) =>
    onLogin({ username: '', ...sender, credential: 'key', outcome });
  /** Returns why an unknown key of this address is not looked up; undefined if it is. */
  const refusalOf = (counted: LoginKeys): LoginRefusal | undefined => {
    const reached = limit.reached(counted);
    if (reached) return new LoginRefusal(reached.limit, { seconds: reached.seconds });
    const mayFail = limit.knownFailures(counted).address + lookedUp.of(counted.address);
    return mayFail < limit.perAddress ? undefined : new LoginRefusal('overload', { seconds: RETRY_S });
  };
  /** Lets every process know the key as one of its address. Nobody waits for Redis: a right key needs nothing of it. */
  const noteAddress = (digest: string, { address }: Sender) => {
    const from = `${digest} ${address}`;
    if (noted.has(from)) return;
    noted.set(from, true);
    const forget = () => void noted.delete(from);
    limit.succeed(loginKeys(digest, address)).then((isKnown) => isKnown || forget(), forget);
  };
  const noteUse = async (digest: string, key: Key) => {
    if (inUse.get(digest) === LATER) return;
    try {
      const today = await keys.today();
      if ((inUse.get(digest) ?? 0) >= today.getTime()) return;
      inUse.set(digest, today.getTime());
      await keys.used(key, today);
      uses.succeeded();
    } catch (err) {
      inUse.set(digest, LATER, { ttl: STORE_AGAIN_MS });
      uses.failed(err);
    }
  };

  const find = async (digest: string, sender: Sender): Promise<Key | undefined> => {
    const key = await keys.findRecent(digest);
    if (!key) {
      inUse.delete(digest);
      await limit.fail(loginKeys(digest, sender.address));
      void report('wrong', sender);
      return undefined;
    }
    if (!inUse.has(digest)) inUse.set(digest, 0);
    noteAddress(digest, sender);
    void noteUse(digest, key);
    return key;
  };
  return async (digest: string, sender: Sender): Promise<Key | undefined> => {
    if (inUse.has(digest) || digests.has(digest)) return find(digest, sender);
    const counted = loginKeys(digest, sender.address);
    // Without a refusal the place is taken at once, before another request can ask for one.
    const refusal = refusalOf(counted);
    if (refusal && !(await limit.knows(counted))) {
      void report(refusal.reason, sender);
      throw refusal;
    }
    lookedUp.add(counted.address);
    digests.add(digest);
    try {
      return await find(digest, sender);
    } finally {
      digests.delete(digest);
      lookedUp.remove(counted.address);
    }
  };
}
