import { type Problem, ProblemList } from '#shared/errors/domain-error.ts';
import { MAX_GUIDES } from '#shared/guides/guide.ts';
import { arrayIn, fieldError, isAbsent, isObject, normalizeFields, tidy, typeOf } from '../http/body.ts';

const FIELDS: ReadonlySet<string> = new Set(['Guias']);

/**
 * Returns the numbers of a request for a manifest, as they were sent; undefined for all guides that wait.
 *
 * @throws DomainError of the array, or `fields-invalid` with all problems.
 */
export function parseManifestRequest(body: unknown): string[] | undefined {
  if (!isObject(body)) throw fieldError('Guias', 'numbers-missing');
  const problems = new ProblemList();
  normalizeFields(body, FIELDS, problems);
  problems.throwIfAny('fields-invalid');
  if (isAbsent(body.Guias)) return undefined;
  const sent = arrayIn(body, 'Guias', MAX_GUIDES, ['numbers-missing', 'numbers-empty', 'too-many-guides']);
  return textsOf('Guias', sent);
}

/** @throws DomainError `fields-invalid`, with the index of each value that is not a text. */
export function textsOf(campo: string, values: readonly unknown[]): string[] {
  const problems = new ProblemList();
  const texts = values.map((value, indice) => {
    if (typeof value === 'string') return tidy(value);
    problems.add(
      (): Problem => ({
        ...{ indice, campo, code: 'field-type' },
        params: { expected: 'string', given: typeOf(value) },
      }),
    );
    return '';
  });
  problems.throwIfAny('fields-invalid');
  return texts;
}
