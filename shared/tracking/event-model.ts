import type { Adjustment } from '#shared/guides/adjustment.ts';
import { FEED_TYPE_NAMES, type FeedType, GUIDE_STATUSES } from '#shared/guides/event-types.ts';
import type { GuideFacts } from '#shared/guides/guide-model.ts';
import type { UnquotedPrice } from '#shared/guides/guide-price.ts';
import type { Event } from '#shared/tracking/event.ts';
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
  TEXT,
  USERNAME,
} from '../stores/collection.ts';

/**
 * The body of an entry: an event with its id, the cancellation of the guide, or a picture. `Manifiesto`: the event comes
 * from the scan of that manifest, whose number is its id. `De` and `Imagen`: the event of which there is a picture now, and
 * which one.
 */
export type EventBody = Omit<Event, 'Id' | 'Tipo'> & {
  Id: string;
  Tipo: FeedType;
  Manifiesto?: string;
  De?: string;
  Imagen?: string;
};

/** Returns the entry for a picture of an event. No client can send an Id with a colon. */
export function pictureEntry(Guia: string, De: string, Imagen: string, Ocurrido: string): EventBody {
  return { Guia, Id: `evidencia:${De}:${Imagen}`, Tipo: 'Evidencia', Ocurrido, De, Imagen };
}

/**
 * Whom a field may name: who received the guide, or anybody. Retention and erasure replace the text of such a field. An
 * erasure and an export by name find those who received. An export shows their name to them alone, and texts about anybody to
 * each person of the guide.
 */
const NAMES_PERSON = {
  Guia: false,
  Tipo: false,
  Ocurrido: false,
  Id: false,
  Paquete: false,
  Sucursal: false,
  Motivo: false,
  Anula: false,
  Recibe: 'receiver',
  Cobrado: false,
  Peso: false,
  Largo: false,
  Alto: false,
  Ancho: false,
  Nota: 'anybody',
  Manifiesto: false,
  De: false,
  Imagen: false,
} as const satisfies Record<keyof EventBody, 'receiver' | 'anybody' | false>;
type PersonalField = {
  [F in keyof EventBody]-?: (typeof NAMES_PERSON)[F] extends false ? never : F;
}[keyof EventBody];
/** The fields that name nobody, as paths of a stored entry. */
export const IMPERSONAL_PATHS = Object.entries(NAMES_PERSON).flatMap(([field, isPersonal]) =>
  isPersonal ? [] : [`told.${field}`],
);
export const PERSONAL_FIELDS = Object.entries(NAMES_PERSON).flatMap(([field, isPersonal]) =>
  isPersonal ? [field as PersonalField] : [],
);

export const RECEIVER_FIELDS = PERSONAL_FIELDS.filter((field) => NAMES_PERSON[field] === 'receiver');

/** Returns the names of those who received. */
export function receiversOf(event: Pick<EventBody, PersonalField>): string[] {
  return RECEIVER_FIELDS.flatMap((field) => event[field] ?? []);
}

/** Returns the fields of an event that may name a person; of those that say who received, the ones with these names. */
export function personalFields(
  event: Pick<EventBody, PersonalField>,
  names: readonly string[],
): Pick<EventBody, PersonalField> {
  const shown = PERSONAL_FIELDS.filter(
    (field) => !RECEIVER_FIELDS.includes(field) || names.includes(event[field] ?? ''),
  );
  return Object.fromEntries(shown.map((field) => [field, event[field]]));
}

/** The guide has another name in answers, and an annulment shows at the event that it annuls. */
const NOT_SHOWN = ['Guia', 'Anula'] as const;
const HIDDEN: ReadonlySet<string> = new Set([...NOT_SHOWN, ...PERSONAL_FIELDS]);

/** Returns the fields that every reader of an event sees, and so none that may name a person. */
export function publicFields(event: EventBody): Omit<EventBody, (typeof NOT_SHOWN)[number] | PersonalField> {
  const shown = Object.entries(event).filter(([field]) => !HIDDEN.has(field));
  return Object.fromEntries(shown) as Omit<EventBody, (typeof NOT_SHOWN)[number] | PersonalField>;
}

/**
 * Whether an entry of a type may change what usage counts: deliveries, what undoes them, cancellations and weighings. Never
 * add a `true`: these types are the filter of an index that databases have (CONTRIBUTING.md "How to add something else"). A
 * later type that changes usage gets a value and an index of its own, which `entriesOf` of count-events.ts reads too.
 */
const CHANGES_USAGE = {
  Recolectado: false,
  EnTransito: false,
  EnSucursal: false,
  EnReparto: false,
  Incidencia: false,
  Entregado: true,
  Devuelto: true,
  Anulacion: true,
  Pesaje: true,
  Cancelacion: true,
  Evidencia: false,
} as const satisfies Record<FeedType, boolean>;
export const USAGE_TYPES = FEED_TYPE_NAMES.filter((type) => CHANGES_USAGE[type]);

/** Returns the ids of the events that others annul. An annulment itself cannot be annulled. */
export function annulledBy(events: readonly Pick<EventBody, 'Tipo' | 'Anula'>[]): Set<string> {
  return new Set(events.flatMap(({ Tipo, Anula }) => (Tipo === 'Anulacion' && Anula ? [Anula] : [])));
}

export const EVENTS = defineCollection(
  'events',
  {
    /** The account, a blank, and the number in twelve digits; a name of an account has no blank. */
    _id: KEYWORD,
    /** Stored as `told`: a stored field is never renamed (CONTRIBUTING.md "How to release"). */
    told: body<EventBody>(),
    /** SEND_ESTATUS of the guide after this entry. */
    status: oneOf(GUIDE_STATUSES),
    /** How many entries the guide has, including this one. */
    version: NUMBER,
    /** Of a weighing, and of its annulment: the guide's adjustment after this entry. */
    adjustment: optional(body<Adjustment>()),
    /** The same of a guide without a quote: what it costs after this entry, for the bill alone. */
    unquoted: optional(body<UnquotedPrice>()),
    /** The customer's own number of the guide. */
    reference: optional(TEXT),
    /** What rooms said of the guide when this entry came. */
    facts: optional(body<GuideFacts>()),
    /** Of the first event of a guide that is billed by it, or the next one if a process of 1.9 registered that. */
    billed: optional(FLAG),
    username: USERNAME,
    /** When the guide was created, if a field names a person: the retention starts then. */
    personal: optional(MOMENT),
    append: KEYWORD,
    /** By the database's clock. So is `openSince`. */
    registered: MOMENT,
    /**
     * When MongoDB deletes an event of a test account, with its guide. The account's last entry has `keptUntil` instead, and
     * stays, because the next entry continues its number.
     */
    expiresAt: optional(MOMENT),
    keptUntil: optional(MOMENT),
    /** When the append was made. The first entry has this field until the guides have their new status. */
    openSince: optional(MOMENT),
  },
  {
    id: 'Account and number',
    holds: 'The log of an account: events of its guides and cancellations, by number',
    life: 'For ever; who received, and notes, are removed after `RETENTION_DAYS`; of a test account 30 days',
    people: {
      told: 'person',
      reference: "nobody: the customer's own number, as docs/security.md says",
      adjustment: 'nobody: amounts',
      facts: 'nobody: numbers of guides, and words of lists',
    },
    testAccounts: 'expire',
    rights: {
      api: ['find', 'insert', 'update', 'createIndex'],
      dashboard: ['find'],
      webhooks: ['find'],
      // Events of a file; export and erasure of a person's data.
      admin: ['find', 'insert', 'update'],
    },
    indexes: [
      [{ 'told.Guia': 1 }],
      ...['personal', 'openSince'].map(
        (field) => [{ [field]: 1 }, { partialFilterExpression: { [field]: { $exists: true } } }] as const,
      ),
      [{ registered: 1, _id: 1 }, { partialFilterExpression: { 'told.Tipo': { $in: [...USAGE_TYPES] } } }],
      [{ billed: 1, registered: 1, _id: 1 }, { partialFilterExpression: { billed: { $exists: true } } }],
      EXPIRY,
    ],
  },
);
export type LogEntry = DocumentIn<typeof EVENTS>;
