/**
 * What each user of MongoDB may do, collection by collection. `mongo-users.ts` makes roles of it; a test checks it against
 * the commands that each service and program sends.
 *
 * The actions are MongoDB's (https://www.mongodb.com/docs/manual/reference/privilege-actions/). Nobody may drop anything,
 * and of indexes only who creates them at start: an index with a TTL deletes documents. The label worker has no user.
 */

export type MongoAction =
  | 'find'
  | 'insert'
  | 'update'
  | 'remove'
  | 'createIndex'
  | 'collStats'
  | 'listCollections'
  | 'listIndexes';

/** The collections. docs/architecture.md says what they hold. */
export const MONGO_COLLECTIONS = [
  'guides',
  'creations',
  'events',
  'users',
  'accounts',
  'audit',
  'branches',
  'coverage',
  'webhooks',
  'webhookSecrets',
  'generations',
] as const;
type MongoCollection = (typeof MONGO_COLLECTIONS)[number];

/** By collection; `''` is every collection of the database, and the database itself. */
type Rights = Readonly<Partial<Record<MongoCollection | '', readonly MongoAction[]>>>;

/** The trail is never changed: nobody updates or removes its events, and `mongo-users.ts` creates its indexes. */
const AUDIT = { audit: ['insert'] } as const;
const BRANCHES: Rights = { branches: ['find'], coverage: ['find'], generations: ['find'] };
const LOADS: Rights = {
  branches: ['find', 'insert', 'remove'],
  coverage: ['find', 'insert', 'remove'],
  generations: ['find', 'insert', 'update'],
};

/** The roles by the users' names: five services, the operators' commands, the backup, and the loader of the demo data. */
export const MONGO_ROLES = {
  api: {
    // The api stores a password's hash anew where its parameters have grown, and the time of a logout.
    users: ['find', 'update'],
    accounts: ['find'],
    // Personal data of old guides is removed by an update.
    guides: ['find', 'insert', 'update', 'createIndex'],
    creations: ['find', 'insert', 'update', 'createIndex'],
    events: ['find', 'insert', 'update', 'createIndex'],
    webhooks: ['find', 'insert', 'update', 'remove', 'createIndex'],
    webhookSecrets: ['find', 'insert', 'update', 'remove'],
    ...AUDIT,
  },
  branches: BRANCHES,
  dashboard: { users: ['find'], webhooks: ['find'], ...AUDIT },
  webhooks: { webhooks: ['find', 'update'], webhookSecrets: ['find'], events: ['find'], ...AUDIT },
  /** `npm run admin`. */
  admin: {
    users: ['find', 'insert', 'update', 'remove'],
    accounts: ['find', 'insert', 'update', 'remove'],
    // Events of a file; export and erasure of a person's data, which wait for guides that are not stored yet.
    events: ['find', 'insert', 'update'],
    guides: ['find', 'update'],
    creations: ['find'],
    // Whose webhook fails, and how far it is behind; not what signs its messages.
    webhooks: ['find'],
    audit: ['find', 'insert'],
  },
  /** `npm run branches`. */
  loads: { ...LOADS, ...AUDIT },
  /** mongodump (k8s/components/backup): reads everything, and writes nothing. */
  backup: { '': ['find', 'collStats', 'listCollections', 'listIndexes'] },
  demo: { users: ['find', 'insert', 'update'], ...LOADS },
} as const satisfies Readonly<Record<string, Rights>>;

export type MongoUser = keyof typeof MONGO_ROLES;
export const MONGO_USERS = Object.keys(MONGO_ROLES) as MongoUser[];

/** The name of a user's role; users are one thing and roles another, so that a second user may have the same role. */
export function roleName(user: MongoUser): string {
  return `guias-${user}`;
}

/** Returns the role's privileges, as createRole takes them. @param db the database of the collections. */
export function privilegesOf(user: MongoUser, db: string) {
  const rights: Rights = MONGO_ROLES[user];
  return Object.entries(rights).map(([collection, actions]) => ({
    resource: { db, collection },
    actions: [...actions],
  }));
}
