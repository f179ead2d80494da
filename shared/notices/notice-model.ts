import type { StateEvent } from '../guides/event-types.ts';
import {
  type DocumentIn,
  defineCollection,
  EXPIRY,
  FLAG,
  KEYWORD,
  listOf,
  MOMENT,
  NUMBER,
  oneOf,
  optional,
  USERNAME,
} from '../stores/collection.ts';

/** The states that recipients may be told of. `EnSucursal`: only once the parcel waits there to be picked up. */
export const NOTICE_STATES = [
  ...(['Recolectado', 'EnReparto', 'EnSucursal', 'Incidencia', 'Entregado', 'Devuelto'] as const),
] as const satisfies readonly StateEvent[];
export type NoticeState = (typeof NOTICE_STATES)[number];

/** How a notice ended, by its word on the wire. Without an outcome it waits, or nobody knows whether it was sent. */
export const OUTCOMES = {
  sent: 'enviado',
  refused: 'rechazado',
  late: 'vencido',
  superseded: 'superado',
  unwanted: 'no_desea',
  withoutAddress: 'sin_correo',
  overLimit: 'limite',
  off: 'apagado',
  test: 'prueba',
} as const;
export type Outcome = keyof typeof OUTCOMES;

/** What each account has said of notices. An account without a document has not said that it may tell anybody. */
export const NOTICE_ACCOUNTS = defineCollection(
  'noticeAccounts',
  {
    /** The account. */
    _id: KEYWORD,
    active: FLAG,
    states: listOf(oneOf(NOTICE_STATES)),
    /** Who said so, and when. */
    setBy: USERNAME,
    setAt: MOMENT,
    /** The number of the last entry of the account's log that was looked at. */
    cursor: NUMBER,
    /** When a process looks at the log again. */
    lookAt: MOMENT,
  },
  {
    id: 'Account name',
    holds:
      'Whether recipients of its guides are told, of which states, who said so, and how far its log was read',
    life: 'Until its last user is removed',
    testAccounts: { stay: 'One document of an account, until its last user is removed' },
    rights: {
      api: ['find', 'insert', 'update', 'createIndex'],
      admin: ['find', 'update', 'remove'],
    },
    indexes: [[{ active: 1, lookAt: 1 }]],
  },
);
export type NoticeAccount = DocumentIn<typeof NOTICE_ACCOUNTS>;

/** Notices without the address: the guide has it until retention or an erasure takes it. */
export const NOTICES = defineCollection(
  'notices',
  {
    /** Hash of account, guide and event, which is also in the Message-ID. */
    _id: KEYWORD,
    account: KEYWORD,
    guide: KEYWORD,
    state: oneOf(NOTICE_STATES),
    occurred: MOMENT,
    /** When it is to be sent. A process that sends it takes this field first, so that a crash loses one and repeats none. */
    dueAt: optional(MOMENT),
    tries: NUMBER,
    /** The last try. */
    triedAt: optional(MOMENT),
    outcome: optional(oneOf(Object.keys(OUTCOMES) as Outcome[])),
    /** Code of the mail server's answer, without its words, which often repeat the address. */
    reply: optional(NUMBER),
    expiresAt: MOMENT,
  },
  {
    id: 'Hash of account, guide and event',
    holds: 'A notice to the recipient of a guide: of which state, and what became of it; no address',
    life: '30 days',
    testAccounts: 'expire',
    rights: { api: ['find', 'insert', 'update', 'createIndex'] },
    indexes: [
      [{ dueAt: 1 }, { partialFilterExpression: { dueAt: { $exists: true } } }],
      [{ guide: 1, occurred: 1 }],
      // Those of a day, to bound them.
      [{ account: 1, outcome: 1, expiresAt: 1 }],
      EXPIRY,
    ],
  },
);
export type Notice = DocumentIn<typeof NOTICES>;

/** An erasure leaves them: otherwise a person who has refused would be told again. */
export const NOTICE_REFUSALS = defineCollection(
  'noticeRefusals',
  {
    /** HMAC of the address with `NOTICES_SECRET`. */
    _id: KEYWORD,
    at: MOMENT,
  },
  {
    id: 'Keyed hash of an address',
    holds: 'That a person wants no notices, of any account',
    life: 'Until the person takes it back',
    testAccounts: { stay: 'They are of persons, and of no account' },
    rights: { api: ['find', 'insert', 'update', 'remove'] },
  },
);
