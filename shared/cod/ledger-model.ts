import { MEANS_OF_PAYMENT } from '#shared/guides/guide.ts';
import {
  body,
  type DocumentIn,
  defineCollection,
  EXPIRY,
  FLAG,
  KEYWORD,
  MOMENT,
  NUMBER,
  oneOf,
  optional,
  part,
} from '#shared/stores/collection.ts';

/** Numbers of a ledger, the first and the last one included. */
export type Range = readonly [from: number, to: number];

const among = (field: string) => ({ partialFilterExpression: { [field]: { $exists: true } } });

/**
 * The money that was collected for an account: a log, numbered from 1 on as that of its events is. An entry is a movement, or a
 * remittance, or takes a remittance back. Nothing of it changes but `openSince`. Amounts are in centavos.
 */
export const COD_LEDGER = defineCollection(
  'codLedger',
  {
    /** The account, a blank, and the number in twelve digits. The account is that for which the guide was created. */
    _id: KEYWORD,
    /** What the carrier owes the account after this entry. */
    balance: NUMBER,
    /** What an event says was collected; negative for its annulment. */
    movement: optional(
      part({ guide: KEYWORD, event: KEYWORD, amount: NUMBER, means: oneOf(MEANS_OF_PAYMENT) }),
    ),
    /**
     * The movements in `ranges`, paid together. `until`: those before this moment. `takenBack`: the bank has refused it, and its
     * movements are open again.
     */
    remittance: optional(
      part({
        ...{ account: KEYWORD, number: KEYWORD, amount: NUMBER, until: MOMENT, movements: NUMBER },
        ranges: body<Range[]>(),
        takenBack: optional(FLAG),
      }),
    ),
    /** The number of the remittance that this entry makes. */
    makes: optional(KEYWORD),
    /** By the database's clock. */
    registered: MOMENT,
    /** Of a remittance, and of what takes one back, until webhooks are told of it: when it was registered. */
    openSince: optional(MOMENT),
    /** Of a movement of a test account: when MongoDB deletes it, with its guide. */
    expiresAt: optional(MOMENT),
  },
  {
    id: 'Account and number',
    holds: 'The money collected for an account, by number: movements, and the remittances that pay them',
    life: 'For ever; of a test account 30 days',
    testAccounts: 'expire',
    rights: {
      api: ['find', 'insert', 'update', 'createIndex'],
      // Events of a file, and remittances.
      admin: ['find', 'insert', 'update'],
    },
    indexes: [
      [{ 'movement.guide': 1 }, among('movement.guide')],
      [{ makes: 1 }, { unique: true, ...among('makes') }],
      [{ 'remittance.account': 1, _id: 1 }, among('remittance.account')],
      [{ openSince: 1 }, among('openSince')],
      EXPIRY,
    ],
  },
);
export type LedgerEntry = DocumentIn<typeof COD_LEDGER>;
export type Movement = NonNullable<LedgerEntry['movement']>;
export type Remittance = NonNullable<LedgerEntry['remittance']>;
