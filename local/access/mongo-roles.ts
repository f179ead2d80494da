import { AUDIT } from '#shared/audit/audit-store.ts';
import { ROOM_COLLECTIONS } from '#shared/rooms.ts';
import { type Collection, MONGO_USERS, type MongoAction, type MongoUser } from '#shared/stores/collection.ts';
import { HEALTH } from '#shared/stores/mongo-check.ts';
import { PROCESSES } from '#shared/stores/process-registry.ts';

/**
 * The rights of MongoDB's users, as the descriptions of the collections state them. A test checks them against the
 * commands that each service and program sends. Nobody may drop anything. Only users that create indexes at start may
 * create them, because an index with a TTL deletes documents. The label worker has no user.
 */

export const COLLECTIONS: readonly Collection[] = [...ROOM_COLLECTIONS, AUDIT, HEALTH, PROCESSES];

/** By collection; `''` is every collection of the database, and the database itself. */
type Rights = Readonly<Record<string, readonly MongoAction[]>>;

/** For mongodump (k8s/components/backup), which writes nothing. */
const BACKUP: Rights = { '': ['find', 'collStats', 'listCollections', 'listIndexes'] };

export const MONGO_ROLES = Object.fromEntries(
  MONGO_USERS.map((user) => [user, user === 'backup' ? BACKUP : rightsOf(user)]),
) as Readonly<Record<MongoUser, Rights>>;

function rightsOf(user: MongoUser): Rights {
  return Object.fromEntries(
    COLLECTIONS.flatMap(({ name, rights }) => (rights[user] ? [[name, rights[user]]] : [])),
  );
}

/** Not the user's name, so that a second user may have the same role. */
export function roleName(user: MongoUser): string {
  return `guias-${user}`;
}

/** As createRole takes them. @param db the database of the collections. */
export function privilegesOf(user: MongoUser, db: string) {
  return Object.entries(MONGO_ROLES[user]).map(([collection, actions]) => ({
    resource: { db, collection },
    actions: [...actions],
  }));
}
