import {
  body,
  type DocumentIn,
  defineCollection,
  KEYWORD,
  listOf,
  MOMENT,
  optional,
} from '../stores/collection.ts';
import type { GuideDocument } from './guide-model.ts';

/** How long an Idempotency-Key is remembered, in days (docs/contract.md "Guides"). */
export const KEY_DAYS = 7;

export const CREATIONS = defineCollection(
  'creations',
  {
    /** The key's `id`, or of a creation without a key its own id. */
    _id: KEYWORD,
    /** The id that the guides of the creation have. */
    creation: KEYWORD,
    bodyHash: optional(KEYWORD),
    /** Of the body without quotes; absent if it had none, and in what releases before 1.11.0 stored. */
    lastingHash: optional(KEYWORD),
    /** When the creation was committed, by the clock of its process; absent once all its guides are stored. */
    openSince: optional(MOMENT),
    /** The guides to store; absent once they are all stored, and the creation is done. */
    records: optional(body<readonly GuideDocument[]>()),
    /** In the order of the request; there once all guides are stored. */
    numbers: optional(listOf(KEYWORD)),
    /** By the database's clock. */
    expiresAt: optional(MOMENT),
  },
  {
    id: "Hash of user, route and key, or the creation's id",
    holds: 'The journal of creations: all guides until they are stored, then their numbers',
    life: `1 h; with a key ${KEY_DAYS} days`,
    people: { records: 'person' },
    testAccounts: 'expire',
    // The operators' commands wait for guides that are not stored yet.
    rights: { api: ['find', 'insert', 'update', 'createIndex'], admin: ['find'] },
    indexes: [
      [{ expiresAt: 1 }, { expireAfterSeconds: 0 }],
      [{ openSince: 1 }, { partialFilterExpression: { openSince: { $exists: true } } }],
    ],
  },
);
export type JournalEntry = DocumentIn<typeof CREATIONS>;
