import {
  type Guide,
  guideAjv,
  MAX_GUIDES,
  SERVICE_TYPES,
  SentGuide,
  type ServiceType,
} from '#shared/contracts/guide.ts';
import { isPrintable, unprintable } from '#shared/contracts/label-charset.ts';
import { ProblemList } from '#shared/errors/domain-error.ts';
import { addProblems, arrayIn, fieldError, isAbsent, isObject, normalizeFields, tidy } from './body.ts';

const REQUEST_FIELDS: ReadonlySet<string> = new Set(['TipoServicio', 'Guia']);

/** The fields of each section of a guide; its other fields have none. */
const SECTIONS = Object.entries(SentGuide.properties).flatMap(([name, schema]) =>
  'properties' in schema ? [[name, new Set(Object.keys(schema.properties))] as const] : [],
);
const SECTION_NAMES: ReadonlySet<string> = new Set(Object.keys(SentGuide.properties));
const MEASURES = ['Peso', 'Largo', 'Alto', 'Ancho'] as const;
/** Most unprintable characters that a warning names. */
const MAX_NAMED = 10;

const isSentGuide = guideAjv({ allErrors: true, verbose: true }).compile<Guide>(SentGuide);

export type GuideRequest = {
  service: ServiceType;
  guides: Guide[];
  /** Unknown fields that were left out, and texts that labels do not print whole. */
  warnings: ProblemList;
};

/**
 * Checks a creation request (docs/contract.md "Guides"): the array, the service type, then all fields of all guides.
 *
 * @param lenient leaves unknown fields out instead of refusing them.
 * @throws DomainError of the first step that fails; `guides-invalid` names all wrong fields.
 */
export function parseGuideRequest(body: unknown, lenient = false): GuideRequest {
  const sent = arrayIn(body, 'Guia', MAX_GUIDES, [
    'guia-array-missing',
    'guia-array-empty',
    'too-many-guides',
  ]);
  const request = body as Record<string, unknown>;
  const service = parseServiceType(request.TipoServicio);
  const problems = new ProblemList();
  const warnings = new ProblemList();
  const unknown = lenient ? warnings : problems;
  normalizeFields(request, REQUEST_FIELDS, unknown);
  const guides = sent.map((each, indice) => {
    const guide = tidyGuide(each, indice, unknown);
    if (isSentGuide(guide)) {
      normalizeGuide(guide);
      addUnprintable(warnings, indice, guide);
    } else addProblems(problems, isSentGuide.errors, { indice });
    return guide as Guide;
  });
  problems.throwIfAny('guides-invalid');
  return { service, guides, warnings };
}

function parseServiceType(value: unknown): ServiceType {
  const text = tidy(value);
  if (isAbsent(text)) throw fieldError('TipoServicio', 'service-type-missing');
  const service = SERVICE_TYPES.find((type) => type === text);
  if (!service) throw fieldError('TipoServicio', 'service-type-unknown');
  return service;
}

/**
 * Copies the known fields of a guide as tidy text (docs/contract.md "Guides"). Unknown values are not read, so the
 * work is bounded.
 *
 * @param unknown gets a problem for each unknown name.
 * @returns a value that is not an object unchanged: the schema refuses it.
 */
function tidyGuide(guide: unknown, indice: number, unknown: ProblemList): unknown {
  if (!isObject(guide)) return guide;
  const copy = normalizeFields(guide, SECTION_NAMES, unknown, { indice });
  for (const [section, fields] of SECTIONS) {
    const value = copy[section];
    if (isObject(value)) copy[section] = normalizeFields(value, fields, unknown, { indice, section });
  }
  return copy;
}

/** Normalizes the fields of a valid guide as they are stored, echoed and printed; changes the guide itself. */
function normalizeGuide({ Remitente, Destinatario, Producto }: Guide): void {
  for (const person of [Remitente, Destinatario]) {
    if (person.Telefono !== undefined) person.Telefono = digitsOf(person.Telefono);
    if (person.Celular !== undefined) person.Celular = digitsOf(person.Celular);
  }
  if (Destinatario.RFC !== undefined) {
    const letters = Destinatario.RFC.replace(/[\s\u2010-\u2015-]/g, '');
    Destinatario.RFC = letters.normalize('NFC').toUpperCase();
  }
  for (const name of MEASURES) if (Producto[name] === 0) delete Producto[name];
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
