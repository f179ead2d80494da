import type { Event } from '#shared/contracts/event.ts';
import { type EventType, GUIDE_STATUSES } from '#shared/contracts/event-types.ts';
import {
  body,
  type DocumentIn,
  defineCollection,
  MOMENT,
  NUMBER,
  oneOf,
  optional,
  TEXT,
  USERNAME,
} from './collection.ts';

/** What an entry says: an event with its id, or that the guide was cancelled. */
export type EventBody = Omit<Event, 'Id' | 'Tipo'> & { Id: string; Tipo: EventType | 'Cancelacion' };

/** Whether a field may name a person: retention and erasure then replace its text. */
const NAMES_PERSON = {
  Guia: false,
  Tipo: false,
  Ocurrido: false,
  Id: false,
  Paquete: false,
  Sucursal: false,
  Motivo: false,
  Anula: false,
  Recibe: true,
  Nota: true,
} as const satisfies Record<keyof EventBody, boolean>;
type PersonalField = {
  [F in keyof EventBody]-?: (typeof NAMES_PERSON)[F] extends true ? F : never;
}[keyof EventBody];
export const PERSONAL_FIELDS = Object.entries(NAMES_PERSON).flatMap(([field, isPersonal]) =>
  isPersonal ? [field as PersonalField] : [],
);

export const EVENTS = defineCollection(
  'events',
  {
    /** The account, a blank, and the number in twelve digits; a name of an account has no blank. */
    _id: TEXT,
    told: body<EventBody>(),
    /** SEND_ESTATUS of the guide after it. */
    status: oneOf(GUIDE_STATUSES),
    /** How many entries the guide has, with this one. */
    version: NUMBER,
    /** The customer's own number of the guide. */
    reference: optional(TEXT),
    /** Who registered it. */
    username: USERNAME,
    /** Start of the retention of a field that names a person: when the guide was created. */
    personal: optional(MOMENT),
    /** Id of the append that it came with. */
    append: TEXT,
    /** By the database's clock, as is `openSince`. */
    registered: MOMENT,
    /** Of the first entry of an append until the guides have their new status: when it was appended. */
    openSince: optional(MOMENT),
  },
  {
    id: 'Account and number',
    holds: 'The log of an account: events of its guides and cancellations, numbered without a gap',
    life: 'For ever; who received, and notes, are removed after `RETENTION_DAYS`',
    rights: {
      api: ['find', 'insert', 'update', 'createIndex'],
      webhooks: ['find'],
      // Events of a file; export and erasure of a person's data.
      admin: ['find', 'insert', 'update'],
    },
    indexes: [
      [{ 'told.Guia': 1 }],
      ...['personal', 'openSince'].map(
        (field) => [{ [field]: 1 }, { partialFilterExpression: { [field]: { $exists: true } } }] as const,
      ),
    ],
  },
);
export type LogEntry = DocumentIn<typeof EVENTS>;
