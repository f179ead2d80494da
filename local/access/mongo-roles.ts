import { ACCOUNTS } from '#services/api/accounts/account-limits.ts';
import { USAGE } from '#services/api/billing/closed-months.ts';
import { LABEL_USAGE } from '#services/api/billing/label-usage.ts';
import { CREATIONS } from '#services/api/guides/creation-journal.ts';
import { KEYS } from '#services/api/keys/key-store.ts';
import { MANIFESTS } from '#services/api/manifests/manifest-model.ts';
import { TARIFFS } from '#services/api/quotes/tariffs/tariff-store.ts';
import { USERS } from '#shared/accounts/user-model.ts';
import { AUDIT } from '#shared/audit/audit-store.ts';
import { BRANCHES, COVERAGE, GENERATIONS } from '#shared/branches/branch-store.ts';
import { POSTAL_CODES } from '#shared/branches/postal-code-store.ts';
import { GUIDES } from '#shared/guides/guide-model.ts';
import { type Collection, MONGO_USERS, type MongoAction, type MongoUser } from '#shared/stores/collection.ts';
import { HEALTH } from '#shared/stores/mongo-check.ts';
import { PROCESSES } from '#shared/stores/process-registry.ts';
import { EVENTS } from '#shared/tracking/event-model.ts';
import { WEBHOOK_SECRETS, WEBHOOKS } from '#shared/webhooks/webhook-model.ts';

/**
 * The rights of MongoDB's users, as the descriptions of the collections state them. A test checks them against the
 * commands that each service and program sends. Nobody may drop anything. Only users that create indexes at start may
 * create them, because an index with a TTL deletes documents. The label worker has no user.
 */

export const COLLECTIONS: readonly Collection[] = [
  ...[GUIDES, CREATIONS, EVENTS, KEYS, MANIFESTS, USERS, ACCOUNTS, AUDIT],
  ...[BRANCHES, COVERAGE, WEBHOOKS, WEBHOOK_SECRETS, GENERATIONS, POSTAL_CODES, TARIFFS],
  ...[LABEL_USAGE, USAGE, HEALTH, PROCESSES],
];

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
