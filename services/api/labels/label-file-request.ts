import { type Problem, ProblemList } from '#shared/errors/domain-error.ts';
import { MAX_GUIDES } from '#shared/guides/guide.ts';
import { KINDS, kindOfTipo, type LabelKind, TIPOS } from '#shared/labels/label-kinds.ts';
import type { Format } from '#shared/labels/label-payload.ts';
import { arrayIn, isAbsent, normalizeFields, tidy, typeOf } from '../http/body.ts';
import { SHEET_PLACES } from './label-sheet.ts';

const FIELDS: ReadonlySet<string> = new Set(['Guias', 'Tipo', 'Hoja', 'Desde']);
/** The value of `Hoja`: four labels on a letter. */
export const SHEET = 'carta-4';
/** The kind of label that fits on it. */
const KIND_OF_SHEET: LabelKind = 'small';

export type LabelFileRequest = {
  /** Any text, in the order of the pages. */
  numbers: string[];
  kind: LabelKind;
  /** Where labels begin on the first sheet, from 0; undefined if they are on no sheets. */
  firstPlace: number | undefined;
};

/**
 * Checks the body of a request for many labels (docs/contract.md "Labels"): the array, then all else.
 * @throws DomainError of the array, or `fields-invalid` with all problems.
 */
export function parseLabelFileRequest(body: unknown, format: Format): LabelFileRequest {
  const sent = arrayIn(body, 'Guias', MAX_GUIDES, ['numbers-missing', 'numbers-empty', 'too-many-guides']);
  const problems = new ProblemList();
  const fields = normalizeFields(body as Record<string, unknown>, FIELDS, problems);
  const { Tipo, Hoja, Desde } = fields;
  const kind = typeof Tipo === 'string' ? kindOfTipo(Tipo) : undefined;
  if (!kind) problems.add(() => problemOf(Tipo));
  for (const problem of [sheetProblem(Hoja, kind, format), placeProblem(Desde, Hoja)]) {
    if (problem) problems.add(() => problem);
  }
  const numbers = sent.map((number, indice) => {
    if (typeof number === 'string') return tidy(number);
    problems.add(() => ({ indice, ...wrongType('Guias', number) }));
    return ''; // String(number) throws if the client's object has its own toString
  });
  problems.throwIfAny('fields-invalid');
  const firstPlace = Hoja === undefined ? undefined : ((Desde ?? 1) as number) - 1;
  return { numbers, kind: kind as LabelKind, firstPlace };
}

function sheetProblem(hoja: unknown, kind: LabelKind | undefined, format: Format): Problem | undefined {
  const campo = 'Hoja';
  if (hoja === undefined) return undefined;
  if (typeof hoja !== 'string') return wrongType(campo, hoja);
  if (hoja !== SHEET) return invalid(campo, `solo acepta: ${SHEET}`);
  if (kind && kind !== KIND_OF_SHEET) return invalid(campo, `solo va con Tipo ${KINDS[KIND_OF_SHEET].tipo}`);
  return format === 'pdf' ? undefined : invalid(campo, 'solo va con formato pdf');
}

function placeProblem(desde: unknown, hoja: unknown): Problem | undefined {
  const campo = 'Desde';
  if (desde === undefined) return undefined;
  if (typeof desde !== 'number') return wrongType(campo, desde, 'number');
  const isPlace = Number.isInteger(desde) && desde >= 1 && desde <= SHEET_PLACES;
  if (!isPlace) return invalid(campo, `debe ser un numero entero de 1 a ${SHEET_PLACES}`);
  return hoja === undefined ? invalid(campo, 'solo va con Hoja') : undefined;
}

function problemOf(tipo: unknown): Problem {
  const campo = 'Tipo';
  if (isAbsent(tipo)) return { campo, code: 'field-required' };
  if (typeof tipo !== 'string') return wrongType(campo, tipo);
  return invalid(campo, `solo acepta: ${TIPOS.join(', ')}`);
}

function invalid(campo: string, rule: string): Problem {
  return { campo, code: 'field-invalid', params: { rule } };
}

function wrongType(campo: string, value: unknown, expected = 'string'): Problem {
  return { campo, code: 'field-type', params: { expected, given: typeOf(value) } };
}
