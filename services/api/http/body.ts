import type { ErrorObject } from 'ajv';
import type { Static, TObject } from 'typebox';
import {
  DomainError,
  type ErrorCode,
  type ErrorParams,
  MAX_NAME_LENGTH,
  type Problem,
  type ProblemList,
} from '#shared/errors/domain-error.ts';
import { strictAjv } from '#shared/schemas/strict-ajv.ts';
import { closestName } from './closest-name.ts';

/** Longer than any text that a person writes, line breaks included. */
const MAX_TIDIED = 1_000;
/** As long as the longest text of a request, which is a quote: a longer one is refused as an altered one. */
const MAX_LENGTH = 4_000;
const BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/;
const NOTHING_VISIBLE = /^[\p{M}\p{Default_Ignorable_Code_Point}\s]*$/u;
const NUMERIC: ReadonlySet<string> = new Set(['number', 'integer']);

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns whether a value means "nothing": clients send whole forms. */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** Returns whether a label would show nothing of a text. */
export function isBlank(text: string): boolean {
  return NOTHING_VISIBLE.test(text);
}

export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/**
 * Trims a text, and replaces each run of line breaks and tabs with a blank. Invisible characters alone become an
 * empty text: a label would have no recipient. Leaves long texts as they are, and cuts very long ones, so that no
 * pattern reads megabytes; what is left is too long for every other field.
 */
export function tidy(value: string): string;
export function tidy(value: unknown): unknown;
export function tidy(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (text.length > MAX_TIDIED) return text.slice(0, MAX_LENGTH);
  if (isBlank(text)) return '';
  // `trim` does not know the line break U+0085.
  return BREAKS.test(text) ? text.split(BREAKS).join(' ').trim() : text;
}

/** The field that an unknown one means. `place`: where the field belongs, in words, if its name does not say so. */
export type Suggestion = { meant: string; place?: string };

/**
 * Copies the known fields that have a value, in their order, on which hashes of older requests depend. Each unknown
 * field with a value is a problem.
 *
 * @param section of the guide at `indice`; both name the problem.
 * @param suggestField returns the field that an unknown name means which is not misspelt, in whatever place.
 */
export function normalizeFields(
  from: Record<string, unknown>,
  known: ReadonlySet<string>,
  problems: ProblemList,
  { section, ...location }: { indice?: number; section?: string } = {},
  suggestField?: (name: string, section?: string) => Suggestion | undefined,
): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(from)) {
    const value = tidy(from[name]);
    if (isAbsent(value)) continue;
    if (known.has(name)) copy[name] = value;
    else {
      const campo = (section === undefined ? name : `${section}.${name}`).slice(0, MAX_NAME_LENGTH);
      problems.add(() => {
        const meant = closestName(name, known);
        const params = meant ? { meant } : suggestField?.(name.slice(0, MAX_NAME_LENGTH), section);
        return { ...location, campo, code: 'field-unknown', ...(params && { params }) };
      });
    }
  }
  return copy;
}

/**
 * Returns a function that collects the problems of a body's fields. It throws DomainError `bad-request` for no object.
 *
 * A field with `x-no-vacio` limits what the request gives. There null and an empty text are a problem, because a program that
 * lost its value would otherwise get all.
 */
export function readerOf<S extends TObject>(schema: S) {
  const known = new Set(Object.keys(schema.properties));
  const limiting = Object.entries(schema.properties).filter(([, field]) => 'x-no-vacio' in field);
  const isValid = strictAjv({ allErrors: true, verbose: true }).compile(schema);
  return (body: unknown, problems: ProblemList): Static<S> => {
    if (!isObject(body)) throw new DomainError('bad-request');
    const fields = normalizeFields(body, known, problems);
    for (const [campo, { 'x-regla': rule }] of limiting as [string, { 'x-regla': string }][]) {
      const isEmpty = body[campo] !== undefined && fields[campo] === undefined;
      if (isEmpty) problems.add(() => ({ campo, code: 'field-invalid', params: { rule } }));
    }
    if (!isValid(fields)) addProblems(problems, isValid.errors);
    return fields as Static<S>;
  };
}

/** Returns the array that a body must have. @throws DomainError with the code for none, an empty one, or one too long. */
export function arrayIn(
  body: unknown,
  campo: string,
  maxLength: number,
  [missing, empty, tooLong]: [ErrorCode, ErrorCode, ErrorCode],
): unknown[] {
  const array = isObject(body) ? body[campo] : undefined;
  if (!Array.isArray(array)) throw fieldError(campo, missing);
  if (array.length === 0) throw fieldError(campo, empty);
  if (array.length > maxLength) throw fieldError(campo, tooLong);
  return array;
}

/** Makes the error of one field or parameter. @param params of its text, beside the name. */
export function fieldError(campo: string, code: ErrorCode, params: ErrorParams = {}): DomainError {
  return new DomainError(code, { params: { campo, ...params }, problems: [{ campo, code, params }] });
}

/** Adds Ajv's errors, one problem for each field. */
export function addProblems(
  problems: ProblemList,
  errors: ErrorObject[] | null | undefined,
  location: { indice?: number } = {},
): void {
  const seen = new Set<string | undefined>();
  for (const error of errors ?? []) {
    // A failed `anyOf` has its own error, so those of its branches are redundant.
    if (error.schemaPath.includes('/anyOf/')) continue;
    const problem = toProblem(error);
    if (seen.has(problem.campo)) continue;
    seen.add(problem.campo);
    problems.add(() => ({ ...location, ...problem }));
  }
}

export function toProblem({ keyword, instancePath, params, parentSchema, data }: ErrorObject): Problem {
  const path = instancePath.slice(1).replaceAll('/', '.');
  const inside = (name: string) => (path ? `${path}.${name}` : name);
  const rule = parentSchema?.['x-regla'];
  switch (keyword) {
    case 'required':
      return { campo: inside(params.missingProperty), code: 'field-required' };
    case 'anyOf': {
      const own: Problem | undefined = parentSchema?.['x-error'];
      if (own) return { ...own, campo: inside(own.campo ?? '') };
      break;
    }
    case 'maxLength':
      return { campo: path, code: 'field-too-long', params: { limit: params.limit } };
    case 'type':
      // One that is no integer, or too large for JavaScript, is a number, though not of Ajv's type.
      if (typeof data === 'number' && NUMERIC.has(params.type)) break;
      return { campo: path, code: 'field-type', params: { expected: params.type, given: typeOf(data) } };
  }
  return { campo: path, code: 'field-invalid', params: { rule } };
}
