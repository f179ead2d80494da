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

/** The collections. docs/architecture.md has them as a table, with the rights of each user. */
export const MONGO_COLLECTIONS = {
  guides: {
    id: 'Guide number',
    holds: 'A guide as created, its account, who cancelled it and when',
    life: 'For ever; anonymised after `RETENTION_DAYS`',
  },
  creations: {
    id: "Hash of user, route and key, or the creation's id",
    holds: 'The journal of creations: all guides until they are stored, then their numbers',
    life: '1 h; with a key `IDEMPOTENCY_KEY_DAYS`',
  },
  events: {
    id: 'Account and number',
    holds: 'The log of an account: events of its guides and cancellations, numbered without a gap',
    life: 'For ever; who received, and notes, are removed after `RETENTION_DAYS`',
  },
  users: {
    id: 'User name',
    holds: 'Account, password hash, permissions, origin branch, generation of tokens, ended tokens',
    life: 'Until removed by hand',
  },
  accounts: {
    id: 'Account name',
    holds: 'Limits that differ from those of the settings',
    life: 'Until removed by hand',
  },
  audit: { id: 'Random', holds: 'The audit trail: who did what, from where', life: '400 days' },
  branches: { id: 'Generation and code', holds: 'A branch of one load', life: 'Until the next load' },
  coverage: {
    id: 'Generation and postal code',
    holds: 'The branch of a postal code',
    life: 'Until the next load',
  },
  webhooks: {
    id: 'Account and a number from 1 to 5',
    holds: 'A webhook of an account: address, and the number of the last event that was taken',
    life: 'Until its account removes it',
  },
  webhookSecrets: {
    id: 'Id of a webhook',
    holds: 'What signs its messages',
    life: 'As long as the webhook',
  },
  generations: {
    id: '`current`, `counter`',
    holds: 'Which generations are in force, and the number of the last load',
    life: 'For ever',
  },
} as const;
export type MongoCollection = keyof typeof MONGO_COLLECTIONS;

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
    users: ['find', 'insert', 'update'],
    accounts: ['find', 'insert', 'update', 'remove'],
    // Events of a file; export and erasure of a person's data, which wait for guides that are not stored yet.
    events: ['find', 'insert', 'update'],
    guides: ['find', 'update'],
    creations: ['find'],
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
