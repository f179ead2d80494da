import {
  type DocumentIn,
  defineCollection,
  KEYWORD,
  listOf,
  MOMENT,
  NUMBER,
  optional,
  part,
} from '../stores/collection.ts';

/** A log of versions and withdrawals, numbered together. Nothing in it changes, so an insert is the compare-and-set. */
export const TARIFFS = defineCollection(
  'tariffs',
  {
    _id: NUMBER,
    at: MOMENT,
    /** The operator. */
    by: KEYWORD,
    /** Of a version: from when on it may be in force, and all its files. */
    from: optional(MOMENT),
    files: optional(listOf(part({ name: KEYWORD, gzip: { type: Buffer, required: true } as const }))),
    /** Of a withdrawal: the number of the version that is never in force again. */
    withdraws: optional(NUMBER),
  },
  {
    id: 'Number',
    holds: 'A version of the tariff with its files, or the withdrawal of one',
    life: 'For ever',
    testAccounts: { stay: 'Nothing of an account' },
    rights: { api: ['find'], admin: ['find', 'insert'], demo: ['find', 'insert'] },
  },
);
export type TariffEntry = DocumentIn<typeof TARIFFS>;
