import {
  body,
  type DocumentIn,
  defineCollection,
  FLAG,
  KEYWORD,
  MOMENT,
  NUMBER,
  optional,
} from '#shared/stores/collection.ts';

export const USAGE = defineCollection(
  'usage',
  {
    /** The month, a blank, and the account. Without an account it is the sum of the month, which is stored last. */
    _id: KEYWORD,
    guides: NUMBER,
    cancelled: NUMBER,
    delivered: NUMBER,
    labels: NUMBER,
    /** Sums of money are in centavos. */
    total: NUMBER,
    cancelledTotal: NUMBER,
    adjustments: NUMBER,
    unpriced: NUMBER,
    /** Absent in a month that a release before 1.9.0 stored, or began to. */
    unquoted: optional(NUMBER),
    unquotedTotal: optional(NUMBER),
    withoutTariff: optional(NUMBER),
    /** In which the month was taken. */
    timeZone: KEYWORD,
    /** By the database's clock. */
    at: MOMENT,
  },
  {
    id: 'Month and account',
    holds: "A closed month's usage, as the command `usage` first computed it",
    life: 'For ever',
    testAccounts: { stay: 'Figures of customers alone' },
    rights: { admin: ['find', 'insert'] },
  },
);
export type ClosedRow = DocumentIn<typeof USAGE>;

export const LABEL_USAGE = defineCollection(
  'labelUsage',
  {
    /** The month, a blank, and the account; a name of an account has no blank. */
    _id: KEYWORD,
    labels: NUMBER,
    /** The same by the day of the month, as `05`; of releases before 1.11.0 nothing. */
    days: optional(body<Record<string, number>>()),
    /** There if the account is a test account. */
    test: optional(FLAG),
  },
  {
    id: 'Month and account',
    holds: "How many labels an account's users got in a month",
    life: 'For ever',
    testAccounts: { stay: 'Figures, which no bill has' },
    rights: { api: ['find', 'insert', 'update'], admin: ['find'] },
  },
);
export type LabelMonth = DocumentIn<typeof LABEL_USAGE>;
