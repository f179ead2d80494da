import {
  type DocumentIn,
  defineCollection,
  EXPIRY,
  KEYWORD,
  MOMENT,
  NUMBER,
  optional,
  part,
  USERNAME,
} from '../stores/collection.ts';

export const RETURNS = defineCollection(
  'returns',
  {
    /** The number of the guide by which the parcel goes back. */
    _id: KEYWORD,
    /** The number of the guide by which it came. */
    of: KEYWORD,
    /** API user who made it. */
    username: USERNAME,
    /** Account whose users see it. */
    account: KEYWORD,
    /** Local time of the configured zone, `YYYY-MM-DDTHH:mm:ss`. */
    createdAt: KEYWORD,
    /** Hash of the request that made it: the same request again gets the same answer. */
    request: KEYWORD,
    /** When one that nobody has scanned is cancelled; absent once it was looked at. */
    reviewAfter: optional(MOMENT),
    /**
     * Lets a person print the label. `digest` is the SHA-256 of its secret, which is stored nowhere. `prints` counts those of
     * `day`, by UTC.
     */
    link: optional(part({ digest: KEYWORD, by: USERNAME, endsAt: MOMENT, day: KEYWORD, prints: NUMBER })),
    /** Of a test account's: when MongoDB deletes it, with its guide. */
    expiresAt: optional(MOMENT),
  },
  {
    id: "Number of the return's guide",
    holds: 'A return: both guides, who made it, and the digest of its link',
    life: 'For ever; of a test account 30 days',
    testAccounts: 'expire',
    rights: { api: ['find', 'insert', 'update', 'createIndex'], admin: ['find', 'update'] },
    indexes: [
      [{ account: 1, createdAt: -1, _id: -1 }],
      [{ of: 1 }],
      [{ 'link.digest': 1 }, { partialFilterExpression: { 'link.digest': { $exists: true } } }],
      [{ reviewAfter: 1 }, { partialFilterExpression: { reviewAfter: { $exists: true } } }],
      EXPIRY,
    ],
  },
);
export type Return = DocumentIn<typeof RETURNS>;
