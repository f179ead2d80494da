import type { ApiUser } from '#shared/accounts/user-store.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { KEYS } from '#shared/keys/key-model.ts';
import type { Accounts } from '../accounts/open.ts';
import type { Base } from '../http/room.ts';
import { digestOf, isKey, looksLikeKey } from './key.ts';
import { KeyFinder } from './key-finder.ts';
import { type Key, KeyStore } from './key-store.ts';
import { KeyUses } from './key-uses.ts';

/** What the room provides. */
export type Keys = ReturnType<typeof openKeys>;
export type KeysContext = Base & Accounts & Keys;

export function openKeys(_server: HttpServer, context: Base & Accounts) {
  const { mongo, indexes, users, loginLimit: limit, onLogin, bearerKinds, log } = context;
  indexes.add(KEYS);
  const keys = new KeyStore(mongo);
  const finder = new KeyFinder({ keys, users, limit, onLogin });
  const uses = new KeyUses(keys, log);
  bearerKinds.push({
    accepts: looksLikeKey,
    async identify(text, sender) {
      if (!isKey(text)) throw new DomainError('access-denied');
      const digest = digestOf(text);
      const { key, user } = await finder.find(digest, sender);
      void uses.note(digest, key);
      const { start: keyStart, expiresAt } = key;
      const findNow = async () => {
        const [keyNow, userNow] = await Promise.all([keys.find(digest), users.find(key.username)]);
        return keyNow && userNow && cutDown(userNow, keyNow);
      };
      return { user: cutDown(user, key), keyStart, ...(expiresAt && { expiresAt }), findNow };
    },
  });
  return { keys };
}

/** A key may do what its user may do at the moment, and of that only what the key names. */
function cutDown(user: ApiUser, { permissions }: Key): ApiUser {
  if (!permissions) return user;
  return { ...user, permissions: user.permissions.filter((each) => permissions.includes(each)) };
}
