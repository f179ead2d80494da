import {
  type DocumentIn,
  defineCollection,
  KEYWORD,
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
    _id: KEYWORD,
    /** By which its user knows it. */
    id: KEYWORD,
    username: USERNAME,
    name: TEXT,
    /** The SHA-256 of the key. */
    digest: KEYWORD,
    /** How the key begins. */
    start: KEYWORD,
    /** What it may do of what its user may do; all of it if absent. */
    permissions: optional(listOf(KEYWORD)),
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
    people: { name: 'nobody: its user calls a program so' },
    testAccounts: { stay: "A key is its user's way in, until the user ends it" },
    rights: {
      api: ['find', 'insert', 'update', 'remove', 'createIndex'],
      admin: ['find', 'insert', 'remove'],
    },
    indexes: [[{ digest: 1 }, { unique: true }]],
  },
);
export type KeyDocument = DocumentIn<typeof KEYS>;
