import { hash } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { ProblemList } from '#shared/errors/domain-error.ts';
import { kindsIn, MAX_GUIDES, MAX_PACKAGES, SENT } from '#shared/guides/guide.ts';
import { PickupAddress } from '#shared/pickups/pickup.ts';
import { strictAjv } from '#shared/schemas/strict-ajv.ts';
import { addProblems, fieldError, isAbsent, isObject, normalizeFields, typeOf } from '../http/body.ts';
import { isDate } from './calendar/windows.ts';

const DATE_RULE = 'debe ser una fecha que existe, YYYY-MM-DD';
const TIME = '^([01]\\d|2[0-3]):[0-5]\\d$';
const time = (description: string, example: string) =>
  Type.String({ pattern: TIME, description, examples: [example], 'x-regla': 'debe ser HH:MM' });
/** Most packages of a pick-up: as many as the guides that it may name have. */
const MAX_PICKED_UP = MAX_GUIDES * MAX_PACKAGES;
/** Most kilograms of a pick-up: a van has some 1 500. */
const MAX_KG = 100_000;

export const RequestedWindow = Type.Object(
  {
    Fecha: Type.String({
      pattern: '^\\d{4}-\\d\\d-\\d\\d$',
      description: 'Día de la sucursal',
      examples: ['2026-12-01'],
      'x-regla': DATE_RULE,
    }),
    Desde: time('Hora de la sucursal', '09:00'),
    Hasta: time('Hora de la sucursal', '13:00'),
  },
  { additionalProperties: false, description: 'Una ventana de `GET /api/recolecciones/disponibles`' },
);

export const PickupRequest = Type.Object(
  {
    Ventana: RequestedWindow,
    Direccion: PickupAddress,
    Paquetes: Type.Integer({
      minimum: 1,
      maximum: MAX_PICKED_UP,
      description: 'Cuántos paquetes se recogen',
      examples: [12],
      'x-regla': `debe ser un numero entero de 1 a ${MAX_PICKED_UP}`,
    }),
    Peso: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: MAX_KG,
        description: 'Cuánto pesan juntos, en kg',
        examples: [48.5],
        'x-regla': `debe ser un numero mayor que 0 y hasta ${MAX_KG} (kg)`,
      }),
    ),
    Guias: Type.Optional(
      Type.Array(Type.String({ description: 'Número de guía (SEND_GUIA)', 'x-regla': 'debe ser texto' }), {
        minItems: 1,
        maxItems: MAX_GUIDES,
        description:
          'Las guías que se recogen, Documentado y de la sucursal que recoge; en su lugar, `Manifiesto`, o nada',
        examples: [['390458235877', '482913650724']],
        'x-regla': `debe tener de 1 a ${MAX_GUIDES} numeros de guia`,
      }),
    ),
    Manifiesto: Type.Optional(
      Type.String({
        description: 'El manifiesto que se recoge, en lugar de `Guias`',
        examples: ['M48291365074'],
        'x-regla': 'debe ser el numero de un manifiesto',
      }),
    ),
    Notas: Type.Optional(kindsIn(SENT).text(250, 'Lo que el chofer debe saber', 'Preguntar en la recepción')),
  },
  {
    additionalProperties: false,
    title: 'SolicitudDeRecoleccion',
    description: 'Qué se recoge, dónde y cuándo',
  },
);
export type PickupRequest = Static<typeof PickupRequest>;

const FIELDS: ReadonlySet<string> = new Set(Object.keys(PickupRequest.properties));
const SECTIONS = { Ventana: RequestedWindow, Direccion: PickupAddress } as const;
const isValid = strictAjv({ allErrors: true, verbose: true }).compile<PickupRequest>(PickupRequest);

/**
 * Returns a request for a pick-up as it is stored: tidy, phones as digits.
 *
 * @throws DomainError `fields-invalid` with all problems.
 */
export function parsePickupRequest(body: unknown): PickupRequest {
  if (!isObject(body)) throw fieldError('Ventana', 'field-required');
  const problems = new ProblemList();
  const fields = normalizeFields(body, FIELDS, problems);
  for (const [name, schema] of Object.entries(SECTIONS)) {
    const section = fields[name];
    if (isObject(section)) {
      const known = new Set(Object.keys(schema.properties));
      fields[name] = normalizeFields(section, known, problems, { section: name });
    } else if (section !== undefined) {
      const params = { expected: 'object', given: typeOf(section) };
      problems.add(() => ({ campo: name, code: 'field-type', params }));
      delete fields[name];
    }
  }
  if (fields.Peso === 0) delete fields.Peso;
  if (!isValid(fields)) addProblems(problems, isValid.errors);
  const request = fields as PickupRequest;
  if (!isAbsent(request.Guias) && !isAbsent(request.Manifiesto)) {
    const rule = 'va en lugar de Guias, no junto a ellas';
    problems.add(() => ({ campo: 'Manifiesto', code: 'field-invalid', params: { rule } }));
  }
  problems.throwIfAny('fields-invalid');
  const { Ventana, Direccion } = request;
  if (!isDate(Ventana.Fecha)) {
    throw fieldError('Ventana.Fecha', 'field-invalid', { rule: DATE_RULE });
  }
  return { ...request, Direccion: withDigits(Direccion) };
}

function withDigits({ Telefono, Celular, ...address }: PickupAddress): PickupAddress {
  return {
    ...address,
    ...(Telefono !== undefined && { Telefono: Telefono.replace(/\D/g, '') }),
    ...(Celular !== undefined && { Celular: Celular.replace(/\D/g, '') }),
  };
}

/** Parts of an address by which two are the same. People write a colonia in many ways, and a postal code has few. */
const PLACE = ['CodigoPostal', 'Calle', 'Numero_exterior', 'Numero_interior'] as const;

/**
 * Returns what stands for an account, an address and a day: case, accents, signs and abbreviations of a street's kind do not
 * count. It is a hash, so that nobody reads the address from an index.
 */
export function addressKeyOf(account: string, address: PickupAddress, date: string): string {
  const place = PLACE.map((field) => normalized(address[field] ?? ''));
  return hash('sha256', JSON.stringify([account, date, ...place]), 'base64url');
}

const STREET_KINDS = /^(avenida|av|ave|calle|c|calzada|calz|boulevard|blvd|bulevar|carretera|carr) /;

function normalized(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .replace(STREET_KINDS, '');
}
