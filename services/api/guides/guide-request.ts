import type { ValidateFunction } from 'ajv';
import { type TObject, Type } from 'typebox';
import { inTurns } from '#shared/async/in-turns.ts';
import { type ErrorCode, ProblemList } from '#shared/errors/domain-error.ts';
import { type Guide, MAX_GUIDES, SERVICE_TYPES, SentGuide, type ServiceType } from '#shared/guides/guide.ts';
import { isPrintable, unprintable } from '#shared/labels/label-charset.ts';
import { strictAjv } from '#shared/schemas/strict-ajv.ts';
import type { Caller } from '../accounts/account-limits.ts';
import { addProblems, arrayIn, fieldError, isAbsent, isObject, normalizeFields, tidy } from '../http/body.ts';
import { suggestFieldInGuide, suggestGuideField } from './misplaced-fields.ts';

const REQUEST_FIELDS: ReadonlySet<string> = new Set(['TipoServicio', 'Guia']);

/** The fields of each section of a guide; its other fields have none. */
const SECTIONS = Object.entries(SentGuide.properties).flatMap(([name, schema]) =>
  'properties' in schema ? [[name, new Set(Object.keys(schema.properties))] as const] : [],
);
const SECTION_NAMES: ReadonlySet<string> = new Set(Object.keys(SentGuide.properties));
export const MEASURES = ['Peso', 'Largo', 'Alto', 'Ancho'] as const;
type Measures = Record<(typeof MEASURES)[number], number>;
const NO_OBJECT = { code: 'guide-invalid', params: { rule: 'debe ser un objeto' } } as const;
/** Most unprintable characters that a warning names. */
const MAX_NAMED = 10;

const ajv = strictAjv({ allErrors: true, verbose: true });
const isSentGuide = ajv.compile<SentGuide>(SentGuide);
const isSentShipment = ajv.compile<Shipment>(asShipment(SentGuide));
const ajvOfOne = strictAjv();
const isDestination = ajvOfOne.compile<Shipment['Destinatario']>(asDestination(SentGuide));
const isPriced = ajvOfOne.compile(asPriced(SentGuide));

/** A request with guides in its body. */
export type SentRequest = {
  /** Parsed JSON of any shape. */
  body: unknown;
  /** Leaves unknown fields out instead of refusing them. */
  lenient: boolean;
  user: Caller;
  requestId: string;
  signal: AbortSignal;
};

type Parsed<G> = {
  guides: G[];
  /** Unknown fields that were left out, and texts that labels do not print whole. Others may add to them. */
  warnings: ProblemList;
};
export type GuideRequest = Parsed<SentGuide> & { service: ServiceType };
/** A request whose fields may be wrong. */
export type CheckedRequest = Parsed<unknown> & {
  /** Undefined if it is wrong. */
  service: ServiceType | undefined;
  /** Of the type of service, then of the fields of all guides. */
  problems: ProblemList;
};

/** What a quote needs of a guide: its destination and its goods. The states are compared with the postal codes. */
export type Shipment = {
  Destinatario: Pick<Guide['Destinatario'], 'CodigoPostal' | 'DestinoCode' | 'Estado'>;
  Remitente?: Pick<Guide['Remitente'], 'CodigoPostal' | 'Estado'>;
  Producto: Omit<Guide['Producto'], 'Contenido'> & Measures;
  Cobro?: Guide['Cobro'];
};

/**
 * Checks a creation request (docs/contract.md "Guides"): the array, the service type, then all fields of all guides.
 *
 * @param lenient leaves unknown fields out instead of refusing them.
 * @throws DomainError of the first step that fails; `guides-invalid` names all wrong fields.
 */
export async function parseGuideRequest(body: unknown, lenient = false): Promise<GuideRequest> {
  const sent = guidesIn(body);
  const service = parseServiceType(serviceIn(body));
  const problems = new ProblemList();
  const checked = await checkGuides(body, sent, { lenient, problems }, isSentGuide);
  problems.throwIfAny('guides-invalid');
  const request = { service, ...checked } as GuideRequest;
  await normalizeGuides(request);
  return request;
}

/**
 * Checks the same without an end at the first step that fails. The guides are tidy, and those that `hasRightFields` are for
 * `normalizeGuides`.
 *
 * @param most problems that are named.
 * @throws DomainError for a body without guides, or with too many.
 */
export async function checkGuideRequest(
  body: unknown,
  lenient: boolean,
  most: number,
): Promise<CheckedRequest> {
  const sent = guidesIn(body);
  const problems = new ProblemList(most);
  const { service, wrong } = readServiceType(serviceIn(body));
  if (wrong) problems.add(() => ({ campo: 'TipoServicio', code: wrong }));
  const checked = await checkGuides(body, sent, { lenient, problems }, isSentGuide);
  return { service, problems, ...checked };
}

/** Returns whether the known fields of a tidy guide are right. */
export function hasRightFields(guide: unknown): guide is SentGuide {
  return isSentGuide(guide);
}

/** Returns whether the destination of a tidy guide can be looked up, whatever is wrong with its other fields. */
export function namesDestination(guide: unknown): guide is Pick<Shipment, 'Destinatario'> {
  return isObject(guide) && isDestination(guide.Destinatario);
}

/** Returns whether a tidy guide can be compared with its quote, whatever is wrong with fields that change no price. */
export function isComparable(guide: unknown): guide is SentGuide {
  return isPriced(guide);
}

/** Normalizes the people of valid guides, and warns of texts that labels do not print whole. Others are undefined. */
export async function normalizeGuides({ guides, warnings }: Parsed<SentGuide | undefined>): Promise<void> {
  await inTurns(guides, (guide, indice) => {
    if (!guide) return;
    normalizePeople(guide);
    addUnprintable(warnings, indice, guide);
  });
}

/**
 * Checks a request for quotes (docs/contract.md "Quotes"): the body of a creation, of which only the service, the
 * destination and the goods count.
 *
 * @returns `service` undefined if all are wanted.
 * @throws DomainError as `parseGuideRequest`.
 */
export async function parseQuoteRequest(
  body: unknown,
  lenient = false,
): Promise<Parsed<Shipment> & { service: ServiceType | undefined }> {
  const sent = guidesIn(body);
  const TipoServicio = serviceIn(body);
  const service = isAbsent(tidy(TipoServicio)) ? undefined : parseServiceType(TipoServicio);
  const problems = new ProblemList();
  const checked = await checkGuides(body, sent, { lenient, problems }, isSentShipment);
  problems.throwIfAny('guides-invalid');
  return { service, ...checked } as Parsed<Shipment> & { service: ServiceType | undefined };
}

function guidesIn(body: unknown): unknown[] {
  return arrayIn(body, 'Guia', MAX_GUIDES, ['guia-array-missing', 'guia-array-empty', 'too-many-guides']);
}

/** Returns the guides as tidy text, whose problems it adds. */
async function checkGuides(
  body: unknown,
  sent: readonly unknown[],
  { lenient, problems }: { lenient: boolean; problems: ProblemList },
  isValid: ValidateFunction,
): Promise<Parsed<unknown>> {
  const warnings = new ProblemList();
  const unknown = lenient ? warnings : problems;
  normalizeFields(body as Record<string, unknown>, REQUEST_FIELDS, unknown, {}, suggestFieldInGuide);
  const guides = await inTurns(sent, (each, indice) => {
    if (!isObject(each)) return problems.add(() => ({ indice, ...NO_OBJECT }));
    const guide = tidyGuide(each, indice, unknown);
    if (!isValid(guide)) addProblems(problems, isValid.errors, { indice });
    return guide;
  });
  return { guides, warnings };
}

function serviceIn(body: unknown): unknown {
  return (body as Record<string, unknown>).TipoServicio;
}

function parseServiceType(value: unknown): ServiceType {
  const { service, wrong } = readServiceType(value);
  if (wrong) throw fieldError('TipoServicio', wrong);
  return service;
}

/** Returns a type of service, or the code of what is wrong with it. */
function readServiceType(
  value: unknown,
): { service: ServiceType; wrong?: undefined } | { service?: undefined; wrong: ErrorCode } {
  const text = tidy(value);
  if (isAbsent(text)) return { wrong: 'service-type-missing' };
  const service = SERVICE_TYPES.find((type) => type === text);
  return service ? { service } : { wrong: 'service-type-unknown' };
}

/**
 * Copies the known fields of a guide as tidy text (docs/contract.md "Guides"). Unknown values are not read, so the
 * work is bounded.
 *
 * @param unknown gets a problem for each unknown name.
 */
function tidyGuide(
  guide: Record<string, unknown>,
  indice: number,
  unknown: ProblemList,
): Record<string, unknown> {
  const copy = normalizeFields(guide, SECTION_NAMES, unknown, { indice }, suggestGuideField);
  for (const [section, fields] of SECTIONS) {
    const value = copy[section];
    if (isObject(value))
      copy[section] = normalizeFields(value, fields, unknown, { indice, section }, suggestGuideField);
  }
  if (isObject(copy.Producto)) dropZeroMeasures(copy.Producto);
  return copy;
}

/** Normalizes the people of a valid guide as they are stored, echoed and printed; changes the guide itself. */
function normalizePeople({ Remitente, Destinatario }: Guide): void {
  for (const person of [Remitente, Destinatario]) {
    if (person.Telefono !== undefined) person.Telefono = digitsOf(person.Telefono);
    if (person.Celular !== undefined) person.Celular = digitsOf(person.Celular);
  }
  if (Destinatario.RFC !== undefined) {
    const letters = Destinatario.RFC.replace(/[\s\u2010-\u2015-]/g, '');
    Destinatario.RFC = letters.normalize('NFC').toUpperCase();
  }
}

/** 0 means absent (docs/contract.md "Guides"). */
function dropZeroMeasures(goods: Record<string, unknown>): void {
  for (const name of MEASURES) if (goods[name] === 0) delete goods[name];
}

function digitsOf(phone: string): string {
  return phone.replace(/[^0-9]/g, '');
}

/**
 * Adds a warning for each text that labels print with dots (docs/contract.md "Guides").
 *
 * @param path of the fields in the guide, with a final dot.
 */
function addUnprintable(
  warnings: ProblemList,
  indice: number,
  fields: Record<string, unknown>,
  path = '',
): void {
  // `Object.entries` takes four times as long.
  for (const name in fields) {
    const value = fields[name];
    if (typeof value === 'string') {
      if (!isPrintable(value)) warnings.add(() => warning(indice, path + name, value));
    } else if (isObject(value)) addUnprintable(warnings, indice, value, `${name}.`);
  }
}

function warning(indice: number, campo: string, text: string) {
  const characters = unprintable(text).slice(0, MAX_NAMED).join(' ');
  return { indice, campo, code: 'text-unprintable', params: { characters } } as const;
}

/** Returns the schema of a recipient of whom only the destination counts. */
function asDestination({ properties: { Destinatario } }: typeof SentGuide): TObject {
  const { CodigoPostal, DestinoCode } = Destinatario.properties;
  const properties = { CodigoPostal, DestinoCode };
  return Type.Unsafe({ ...Destinatario, required: [], properties, additionalProperties: true }) as never;
}

/** Returns the schema of a guide of which only its quote counts, and what is compared with that. */
function asPriced(guide: typeof SentGuide): TObject {
  const { Producto, Cobro, Cotizacion } = guide.properties;
  const { Contenido: _, InformacionAdicional: __, ...measured } = Producto.properties;
  const goods = { ...Producto, required: [], properties: measured, additionalProperties: true };
  return Type.Unsafe({
    ...guide,
    required: ['Destinatario', 'Producto'],
    properties: { Destinatario: asDestination(guide), Producto: goods, Cobro, Cotizacion },
    additionalProperties: true,
  }) as never;
}

/** Returns the schema of a guide in which only the destination and the measures are required. */
function asShipment({ properties, ...guide }: typeof SentGuide): TObject {
  const { Remitente, Destinatario, Producto, Creado_por } = properties;
  return Type.Unsafe({
    ...guide,
    required: ['Destinatario', 'Producto'],
    properties: {
      ...properties,
      Remitente: { ...Remitente, required: [] },
      Destinatario: { ...Destinatario, required: [] },
      Producto: { ...Producto, required: MEASURES },
      Creado_por: { ...Creado_por, required: [] },
    },
  }) as never;
}
