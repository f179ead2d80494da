import { ACCOUNTS } from '#services/api/accounts/account-limits.ts';
import { CREATIONS } from '#services/api/guides/creation-journal.ts';
import { GUIDES } from '#services/api/guides/guide-model.ts';
import { TARIFFS } from '#services/api/tariffs/tariff-store.ts';
import { AUDIT } from '#shared/audit/audit-store.ts';
import { USERS } from '#shared/auth/user-store.ts';
import { BRANCHES, COVERAGE, GENERATIONS } from '#shared/stores/branch-store.ts';
import { type Collection, MONGO_USERS, type MongoAction, type MongoUser } from '#shared/stores/collection.ts';
import { EVENTS } from '#shared/stores/event-model.ts';
import { WEBHOOK_SECRETS, WEBHOOKS } from '#shared/stores/webhook-model.ts';

/**
 * What each user of MongoDB may do: the rights that the descriptions of the collections state. `mongo-users.ts` makes roles of
 * it; a test checks it against the commands that each service and program sends.
 *
 * Nobody may drop anything, and only the users that create indexes at start may create them: an index with a TTL deletes
 * documents. The label worker has no user.
 */

export const COLLECTIONS: readonly Collection[] = [
  ...[GUIDES, CREATIONS, EVENTS, USERS, ACCOUNTS, AUDIT],
  ...[BRANCHES, COVERAGE, WEBHOOKS, WEBHOOK_SECRETS, GENERATIONS, TARIFFS],
];

/** By collection; `''` is every collection of the database, and the database itself. */
type Rights = Readonly<Record<string, readonly MongoAction[]>>;

/** Reads everything, and writes nothing: mongodump (k8s/components/backup). */
const BACKUP: Rights = { '': ['find', 'collStats', 'listCollections', 'listIndexes'] };

/** The roles by the users' names. */
export const MONGO_ROLES = Object.fromEntries(
  MONGO_USERS.map((user) => [user, user === 'backup' ? BACKUP : rightsOf(user)]),
) as Readonly<Record<MongoUser, Rights>>;

function rightsOf(user: MongoUser): Rights {
  return Object.fromEntries(
    COLLECTIONS.flatMap(({ name, rights }) => (rights[user] ? [[name, rights[user]]] : [])),
  );
}

/** The name of a user's role; users are one thing and roles another, so that a second user may have the same role. */
export function roleName(user: MongoUser): string {
  return `guias-${user}`;
}

/** Returns the role's privileges, as createRole takes them. @param db the database of the collections. */
export function privilegesOf(user: MongoUser, db: string) {
  return Object.entries(MONGO_ROLES[user]).map(([collection, actions]) => ({
    resource: { db, collection },
    actions: [...actions],
  }));
}
