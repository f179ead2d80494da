import {
  type DocumentIn,
  defineCollection,
  listOf,
  MOMENT,
  optional,
  TEXT,
  USERNAME,
} from '../stores/collection.ts';

/** Most keys of a user (docs/contract.md "Keys"). */
export const MAX_KEYS = 10;

export const KEYS = defineCollection(
  'keys',
  {
    /** The user and one of `MAX_KEYS` places, so that two requests at once cannot exceed the limit. */
    _id: TEXT,
    /** By which its user knows it. */
    id: TEXT,
    username: USERNAME,
    name: TEXT,
    /** The SHA-256 of the key. */
    digest: TEXT,
    /** How the key begins. */
    start: TEXT,
    /** What it may do of what its user may do; all of it if absent. */
    permissions: optional(listOf(TEXT)),
    createdAt: MOMENT,
    /** By the database's clock. */
    expiresAt: optional(MOMENT),
    /** To the day. */
    usedAt: optional(MOMENT),
  },
  {
    id: 'User name and one of ten places',
    holds: 'SHA-256 of a key, its name, permissions, and the day on which it was last used',
    life: 'Until it is ended, or its user is disabled or removed',
    people: {
      _id: false,
      id: false,
      username: false,
      name: false,
      digest: false,
      start: false,
      permissions: false,
    },
    testAccounts: { stay: "A key is its user's way in, until the user ends it" },
    rights: {
      api: ['find', 'insert', 'update', 'remove', 'createIndex'],
      admin: ['find', 'insert', 'remove'],
    },
    indexes: [[{ digest: 1 }, { unique: true }]],
  },
);
export type KeyDocument = DocumentIn<typeof KEYS>;
