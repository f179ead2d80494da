import { GUIDE_STATUSES } from '#shared/guides/event-types.ts';
import {
  type DocumentIn,
  defineCollection,
  EXPIRY,
  FLAG,
  KEYWORD,
  MOMENT,
  NUMBER,
  oneOf,
  optional,
  TEXT,
} from '#shared/stores/collection.ts';

/** How what was collected differs from what should have been. */
export const DIFFERENCES = ['falta', 'sobra', 'sin_cobro', 'devuelta'] as const;
export type DifferenceKind = (typeof DIFFERENCES)[number];

/** What was collected on the delivery of a guide, as its events say. They can make each document again. */
export const COD_COLLECTIONS = defineCollection(
  'codCollections',
  {
    /** The guide's number. */
    _id: KEYWORD,
    /** That for which the guide was created. */
    account: KEYWORD,
    /** Local time of the configured zone, `YYYY-MM-DDTHH:mm:ss`. */
    createdAt: KEYWORD,
    reference: optional(TEXT),
    status: oneOf(GUIDE_STATUSES),
    /** How many events this is made from. */
    events: NUMBER,
    /** In centavos: what is to be collected, and what was. */
    amount: NUMBER,
    collected: NUMBER,
    difference: optional(oneOf(DIFFERENCES)),
    /** Present if there is a difference: the index of those has it. */
    differs: optional(FLAG),
    expiresAt: optional(MOMENT),
  },
  {
    id: 'Guide number',
    holds: 'What was collected on delivery of a guide, and how it differs from what should have been',
    life: 'For ever; of a test account 30 days',
    people: { reference: "nobody: the customer's own number, as docs/security.md says" },
    testAccounts: 'expire',
    rights: { api: ['find', 'insert', 'update', 'createIndex'], admin: ['find', 'insert', 'update'] },
    indexes: [
      [{ account: 1, createdAt: -1, _id: -1 }],
      [
        { account: 1, differs: 1, createdAt: -1, _id: -1 },
        { partialFilterExpression: { differs: { $exists: true } } },
      ],
      EXPIRY,
    ],
  },
);
export type Collected = DocumentIn<typeof COD_COLLECTIONS>;
