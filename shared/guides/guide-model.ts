import type { PickUpPlace } from '#shared/branches/branch.ts';
import type { Adjustment } from '#shared/guides/adjustment.ts';
import { GUIDE_STATUSES, type GuideStatus } from '#shared/guides/event-types.ts';
import { type Guide, SERVICE_TYPES } from '#shared/guides/guide.ts';
import type { GuidePrice, WithoutQuote } from '#shared/guides/guide-price.ts';
import type { Sought } from '#shared/guides/sought.ts';
import {
  body,
  type DocumentIn,
  defineCollection,
  EXPIRY,
  KEYWORD,
  MOMENT,
  NUMBER,
  oneOf,
  optional,
  part,
  TEXT,
  USERNAME,
} from '../stores/collection.ts';

/** What rooms say of a guide, by names on the wire. */
export type GuideFacts = Readonly<Record<string, string | true>>;

/** A branch with its name on the day of creation: a label that is printed again must not change. */
const BRANCH = part({ code: KEYWORD, name: KEYWORD });

/**
 * States that have an index, in which one guide among many is found at once. Never change this list: it is the filter of
 * an index that databases have (CONTRIBUTING.md "How to add something else"). A state of a later release that people look
 * for gets another list, and with it an index of another name.
 */
const SOUGHT_STATUSES = [
  ...(['Recolectado', 'EnTransito', 'EnSucursal', 'EnReparto'] as const),
  ...(['Incidencia', 'Devuelto', 'Cancelado'] as const),
] as const satisfies readonly GuideStatus[];
/** The other states, and why. A state that stands in neither list does not compile. */
export const UNSOUGHT_STATUSES = {
  Documentado: 'Creations do not change the index',
  Entregado: 'The index stays small',
} as const satisfies Record<Exclude<GuideStatus, (typeof SOUGHT_STATUSES)[number]>, string>;

export const GUIDES = defineCollection(
  'guides',
  {
    /** The guide's number. */
    _id: KEYWORD,
    /** Id of the creation that made this guide; tells it from another guide that was given the same number. */
    creation: KEYWORD,
    /** API user who created this guide. */
    username: USERNAME,
    /** Account whose users see this guide; others see it only with `guias.read.all`. */
    account: KEYWORD,
    /** The account for which it was created, if an operator has moved it since: its usage stays there. */
    createdFor: optional(KEYWORD),
    /** Local time of the configured zone, `YYYY-MM-DDTHH:mm:ss`. */
    createdAt: KEYWORD,
    createdUtc: MOMENT,
    status: oneOf(GUIDE_STATUSES),
    /** When retention took all that names a person. */
    anonymised: optional(MOMENT),
    /** How many entries of the event log `status` is made from; absent before the first. */
    events: optional(NUMBER),
    /** Which API user cancelled it, and when. */
    cancelled: optional(part({ by: USERNAME, at: MOMENT })),
    service: oneOf(SERVICE_TYPES),
    origin: BRANCH,
    destination: BRANCH,
    /** That of the recipient's postal code at the creation; absent if it had none. Retention takes it, with the postal code. */
    route: optional(TEXT),
    /** The destination as it was at the creation, of a guide that is picked up there; absent in guides older than 1.7.0. */
    pickUp: optional(body<PickUpPlace>()),
    /** MXN; 0 without a quote (docs/contract.md "Quotes"). */
    freight: NUMBER,
    total: NUMBER,
    /** What a guide that was created with a quote shows of it. */
    quote: optional(body<GuidePrice['quote']>()),
    /** What a guide that was created without a quote costs by the tariff of its creation; absent in guides older than 1.9.0. */
    unquoted: optional(body<WithoutQuote['unquoted']>()),
    /**
     * What was priced, and for which account; absent in guides of 1.4.0, and in those without a quote older than 1.9.0. Without
     * a quote measures may be missing. Retention takes it, with its postal codes.
     */
    priced: optional(body<(GuidePrice | WithoutQuote)['priced']>()),
    /** What the packages' weights change in its price; absent before the first weighing. */
    adjustment: optional(body<Adjustment>()),
    guide: body<Guide>(),
    /** Absent in guides older than 1.11.0. Retention and erasure take it with the recipient. */
    sought: optional(body<Sought>()),
    /** What every answer about the guide shows beside its fields. Each room documents its own, in `adds` of its `room.ts`. */
    facts: optional(body<GuideFacts>()),
    /** When the guide is billed, if not in the month of its creation: in that of its first event, and never without one. */
    billed: optional(oneOf(['first-event'])),
    /** Of a guide of a test account: when MongoDB deletes it. */
    expiresAt: optional(MOMENT),
  },
  {
    id: 'Guide number',
    holds: 'A guide as created, its account, who cancelled it and when',
    life: 'For ever; anonymised after `RETENTION_DAYS`; of a test account 30 days',
    people: {
      ...{ guide: 'person', sought: 'person', route: 'person', priced: 'person' },
      pickUp: 'nobody: a branch',
      quote: 'nobody: amounts',
      adjustment: 'nobody: amounts',
      facts: 'nobody: numbers of guides, and words of lists',
    },
    testAccounts: 'expire',
    // Personal data of old guides is removed by an update.
    rights: {
      api: ['find', 'insert', 'update', 'createIndex'],
      dashboard: ['find'],
      admin: ['find', 'update'],
    },
    // Those of the list: what is equal, then the order.
    indexes: [
      [{ account: 1, createdAt: -1, _id: -1 }],
      [
        { account: 1, 'guide.Referencia': 1, createdAt: -1, _id: -1 },
        { partialFilterExpression: { 'guide.Referencia': { $exists: true } } },
      ],
      [
        { account: 1, status: 1, createdAt: -1, _id: -1 },
        { partialFilterExpression: { status: { $in: [...SOUGHT_STATUSES] } } },
      ],
      // Those of support. Few guides share a name or a phone, so that they need no order: with one, each costs a creation
      // four times as much.
      [{ 'sought.name': 1 }, { partialFilterExpression: { 'sought.name': { $exists: true } } }],
      [{ 'sought.phones': 1 }, { partialFilterExpression: { 'sought.phones': { $exists: true } } }],
      // That of usage, of guides that were moved.
      [
        { createdFor: 1, createdAt: -1, _id: -1 },
        { partialFilterExpression: { createdFor: { $exists: true } } },
      ],
      EXPIRY,
    ],
  },
);

export type GuideDocument = DocumentIn<typeof GUIDES>;
export type BranchOfGuide = GuideDocument['origin'];
/** By what an operator finds a person; the names stand in the answers that operators read. */
export type SearchKind = 'telefono' | 'correo' | 'nombre';
/** What a field says of a person: something to find the person by, `otro`, or nothing: then it stays for ever. */
export type Personal = SearchKind | 'otro' | false;
export type PersonalFields = Readonly<Record<string, Personal>>;

const PERSONAL_ADDRESS = {
  CodigoPostal: 'otro',
  Estado: 'otro',
  Municipio: 'otro',
  Colonia: 'otro',
  Calle: 'otro',
  Numero_exterior: 'otro',
  Numero_interior: 'otro',
} as const;

/**
 * Each field of a guide. Retention takes what is not `false`. Search, export and erasure of one person's data follow the
 * sections of `PERSON_SECTIONS` alone, because what stands elsewhere belongs to both sides (docs/security.md).
 */
export const PERSONAL_DATA = {
  Remitente: {
    Nombre: 'nombre',
    Telefono: 'telefono',
    Celular: 'telefono',
    Email: 'correo',
    ...PERSONAL_ADDRESS,
  },
  Destinatario: {
    Nombre: 'nombre',
    Email: 'correo',
    Telefono: 'telefono',
    Celular: 'telefono',
    RazonSocial: 'nombre',
    RFC: 'otro',
    Referencias: 'otro',
    ...PERSONAL_ADDRESS,
    DestinoCode: false,
  },
  Producto: {
    TipoEnvio: false,
    ValorDeclarado: false,
    Contenido: 'otro',
    InformacionAdicional: 'otro',
    Peso: false,
    Largo: false,
    Alto: false,
    Ancho: false,
    Paquetes: false,
  },
  Creado_por: { Nombre: 'nombre', Agencia: 'otro' },
  Referencia: false,
  Cobro: { Monto: false, Medios: false },
} as const satisfies {
  [Field in keyof Guide]-?: NonNullable<Guide[Field]> extends object
    ? Record<keyof Guide[Field], Personal>
    : 'otro' | false;
};

/** Returns the paths in a stored guide of the fields that say something of a person, or of all the others. */
export function guidePaths({ personal }: { personal: boolean }): string[] {
  const are = (value: Personal) => Boolean(value) === personal;
  return Object.entries<PersonalFields | Personal>(PERSONAL_DATA).flatMap(([part, fields]) => {
    if (typeof fields !== 'object') return are(fields) ? [`guide.${part}`] : [];
    return Object.entries(fields).flatMap(([field, value]) => (are(value) ? [`guide.${part}.${field}`] : []));
  });
}

/** The parts of a guide in which a field can be searched for a person. */
type NamingSection = {
  [Part in keyof typeof PERSONAL_DATA]: (typeof PERSONAL_DATA)[Part] extends infer Fields extends
    PersonalFields
    ? Extract<Fields[keyof Fields], SearchKind> extends never
      ? never
      : Part
    : never;
}[keyof typeof PERSONAL_DATA];
/**
 * The parts of a guide that name one person each. `papel` is the person's part in an export. A side of the guide owns what
 * is stored beside it, such as who received the parcel.
 */
export const PERSON_SECTIONS = {
  Remitente: { papel: 'remitente', isSide: true },
  Destinatario: { papel: 'destinatario', isSide: true },
  Creado_por: { papel: 'autor', isSide: false },
} as const satisfies Record<NamingSection, { papel: string; isSide: boolean }>;
export type PersonSection = keyof typeof PERSON_SECTIONS;
