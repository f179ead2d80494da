import type { ErrorObject } from 'ajv';
import { isBlank } from '#shared/contracts/label-charset.ts';
import {
  DomainError,
  type ErrorCode,
  type ErrorParams,
  MAX_NAME_LENGTH,
  type Problem,
  type ProblemList,
} from '#shared/errors/domain-error.ts';
import { closestName } from './closest-name.ts';

/** What the bodies of requests have in common: how they are read, and how it is said what is wrong with them. */

/** No field has so many characters, also when some of them are line breaks that go. */
const MAX_LENGTH = 1_000;
const BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/;
const NUMERIC: ReadonlySet<string> = new Set(['number', 'integer']);

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Tells whether a value is what clients send for "nothing": they send whole forms. */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/**
 * Trims a text, and makes each run of line breaks and tabs in it one blank. A text of nothing but invisible characters
 * becomes empty: a label with such a name would have no recipient. What is too long for any field is cut, to a
 * length that is still too long, so that no pattern reads megabytes.
 */
export function tidy(value: string): string;
export function tidy(value: unknown): unknown;
export function tidy(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (text.length > MAX_LENGTH) return text.slice(0, MAX_LENGTH);
  if (isBlank(text)) return '';
  // Trimmed again: U+0085 is a line break, but none that `trim` knows.
  return BREAKS.test(text) ? text.split(BREAKS).join(' ').trim() : text;
}

/**
 * Copies the known fields that are not absent, in their order, on which hashes of older requests depend. Each other name is a
 * problem, unless its value means "nothing".
 *
 * @param place of the fields: the guide, and its section.
 */
export function normalizeFields(
  from: Record<string, unknown>,
  known: ReadonlySet<string>,
  problems: ProblemList,
  { section, ...place }: { indice?: number; section?: string } = {},
): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(from)) {
    const value = tidy(from[name]);
    if (isAbsent(value)) continue;
    if (known.has(name)) copy[name] = value;
    else {
      const campo = (section === undefined ? name : `${section}.${name}`).slice(0, MAX_NAME_LENGTH);
      problems.add(() => ({
        ...place,
        campo,
        code: 'field-unknown',
        params: { meant: closestName(name, known) },
      }));
    }
  }
  return copy;
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

/** Makes the error for which one field or parameter is to blame. @param params of its text, beside the name. */
export function fieldError(campo: string, code: ErrorCode, params: ErrorParams = {}): DomainError {
  return new DomainError(code, { params: { campo, ...params }, problems: [{ campo, code, params }] });
}

/** Adds what Ajv found, one problem a field: a text that is too long need not also hear of its form. */
export function addProblems(
  problems: ProblemList,
  errors: ErrorObject[] | null | undefined,
  place: { indice?: number } = {},
): void {
  const seen = new Set<string | undefined>();
  for (const error of errors ?? []) {
    // An `anyOf` that fails has an error of its own; those of its branches would say the same again.
    if (error.schemaPath.includes('/anyOf/')) continue;
    const problem = toProblem(error);
    if (seen.has(problem.campo)) continue;
    seen.add(problem.campo);
    problems.add(() => ({ ...place, ...problem }));
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
      if (!path) return { code: 'guide-invalid', params: { rule } };
      // One that is no integer, or too large for JavaScript, is a number, though not of Ajv's type.
      if (typeof data === 'number' && NUMERIC.has(params.type)) break;
      return { campo: path, code: 'field-type', params: { expected: params.type, given: typeOf(data) } };
  }
  return { campo: path, code: 'field-invalid', params: { rule } };
}
