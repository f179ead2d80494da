import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { LRUCache } from 'lru-cache';
import { LoginRefusal } from '#shared/accounts/login.ts';
import { loginKeys } from '#shared/accounts/login-limit.ts';
import type { ApiUser } from '#shared/accounts/user-store.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { openIndexes } from '../platform/stores.ts';
import { digestOf, isKey, looksLikeKey } from './key.ts';
import { KEYS, type Key, KeyStore } from './key-store.ts';

declare module 'fastify' {
  interface FastifyInstance {
    keys: KeyStore;
  }
}

/** Keys in use that a process remembers, of some 100 bytes each. */
const MAX_IN_USE = 20_000;

export const keysPlugin = fp(async (server: HttpServer) => {
  openIndexes(server, KEYS);
  const { mongo, users } = server;
  const keys = new KeyStore(mongo);
  const find = finderOf(server, keys);
  server.decorate('keys', keys);
  server.bearerKinds.push({
    accepts: looksLikeKey,
    async identify(text, request) {
      const key = isKey(text) ? await find(digestOf(text), request) : undefined;
      const user = key && (await users.findRecent(key.username));
      if (!user) throw new DomainError('access-denied');
      return { user: cutDown(user, key), ...(key.expiresAt && { expiresAt: key.expiresAt }) };
    },
  });
});

/** A key may do what its user may do at the moment, and of that only what the key names. */
function cutDown(user: ApiUser, { permissions }: Key): ApiUser {
  if (!permissions) return user;
  return { ...user, permissions: user.permissions.filter((each) => permissions.includes(each)) };
}

/**
 * Returns a function that finds a key by its digest. A wrong key counts as a failed login of its address, so that guesses
 * end; a right key that this process has seen works also beside a flood of wrong ones from the same address.
 *
 * The function throws LoginRefusal for a key that nobody knows, from an address with too many wrong ones.
 */
function finderOf({ loginLimit: limit, onLogin, log }: HttpServer, keys: KeyStore) {
  /** The day on which each key was last used, as far as this process has stored it. */
  const inUse = new LRUCache<string, string>({ max: MAX_IN_USE });
  const noteUse = (digest: string, key: Key) => {
    const today = new Date().toISOString().slice(0, 10);
    if (inUse.get(digest) === today) return;
    inUse.set(digest, today);
    keys.used(key).catch((err) => {
      inUse.delete(digest);
      log.warn({ err }, 'The day of a use of a key was not stored; the next use stores it');
    });
  };
  return async (digest: string, { ip: address, id: requestId }: FastifyRequest): Promise<Key | undefined> => {
    const counted = loginKeys(digest, address);
    const isNew = !inUse.has(digest);
    const reached = isNew ? limit.reached(counted) : undefined;
    if (reached && !(await limit.knows(counted))) {
      throw new LoginRefusal(reached.limit, { seconds: reached.seconds });
    }
    const key = await keys.findRecent(digest);
    if (!key) {
      inUse.delete(digest);
      await limit.fail(counted);
      onLogin({ username: '', address, requestId, outcome: 'wrong' });
      return undefined;
    }
    if (isNew) await limit.succeed(counted);
    noteUse(digest, key);
    return key;
  };
}
