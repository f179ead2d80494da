import type { ManifestGuide } from '#shared/manifests/manifest.ts';
import {
  body,
  type DocumentIn,
  defineCollection,
  EXPIRY,
  FLAG,
  KEYWORD,
  MOMENT,
  NUMBER,
  optional,
  part,
  USERNAME,
} from '#shared/stores/collection.ts';

export const MANIFESTS = defineCollection(
  'manifests',
  {
    /** The manifest's number. */
    _id: KEYWORD,
    /** Id of the request that made it. It differs from that of another manifest with the same number. */
    creation: KEYWORD,
    /** API user who made it. */
    username: USERNAME,
    /** Account whose users see it. */
    account: KEYWORD,
    /** Local time of the configured zone, `YYYY-MM-DDTHH:mm:ss`. */
    createdAt: KEYWORD,
    createdUtc: MOMENT,
    origin: part({ code: KEYWORD, name: KEYWORD }),
    /** In the order of the list. */
    guides: body<ManifestGuide[]>(),
    totals: part({
      ...{ guides: NUMBER, packages: NUMBER, weight: NUMBER, unweighed: NUMBER },
      cod: optional(NUMBER),
    }),
    /** Whether more guides waited than a manifest has. */
    more: optional(FLAG),
    /** The Idempotency-Key of its request. */
    key: optional(part({ id: KEYWORD, bodyHash: KEYWORD })),
    /** Of a manifest of a test account: when MongoDB deletes it. */
    expiresAt: optional(MOMENT),
  },
  {
    id: "Manifest's number",
    holds: 'A manifest with the guides that were handed over together: numbers, packages, weights, no names',
    life: 'For ever; of a test account until its first guide goes',
    people: { guides: 'nobody: numbers and branches' },
    testAccounts: 'expire',
    rights: { api: ['find', 'insert', 'update', 'createIndex'], admin: ['find', 'update'] },
    indexes: [
      // The commit: a second manifest with one of these guides cannot be inserted.
      [{ 'guides.number': 1 }, { unique: true }],
      [{ 'key.id': 1 }, { unique: true, partialFilterExpression: { 'key.id': { $exists: true } } }],
      [{ account: 1, createdAt: -1, _id: -1 }],
      EXPIRY,
    ],
  },
);
export type Manifest = DocumentIn<typeof MANIFESTS>;
/** A manifest as a list reads it. */
export type ManifestHead = Omit<Manifest, 'guides'>;
