import { MAX_GUIDES } from '#shared/contracts/guide.ts';
import { KIND_NAMES, KINDS_BY_NAME, type KindName } from '#shared/contracts/label-file.ts';
import type { LabelPayload } from '#shared/contracts/label-job.ts';
import { DomainError, type ErrorCode } from '#shared/errors.ts';
import { isAbsent, isObject, tidy, tidyFields } from '../guides/request/guide-forms.ts';
import { typeOf, unknownField } from '../guides/request/guide-request.ts';
import { ProblemList } from '../guides/request/problem-list.ts';

const FIELDS: ReadonlySet<string> = new Set(['Guias', 'Tipo']);

export type LabelFileRequest = {
  /** Of the guides, in the order of the pages; any text. */
  numbers: string[];
  kind: LabelPayload['kind'];
};

/**
 * Checks the body of a request for the labels of many guides (docs/contract.md "Guides"): the array, then all else together.
 *
 * @param body parsed JSON, of any shape.
 * @throws DomainError of the array, or `guides-invalid`, which names what is wrong.
 */
export function parseLabelFileRequest(body: unknown): LabelFileRequest {
  const request = isObject(body) ? body : {};
  const { Guias, Tipo } = request;
  if (!Array.isArray(Guias)) throw blameNumbers('numbers-missing');
  if (Guias.length === 0) throw blameNumbers('numbers-empty');
  if (Guias.length > MAX_GUIDES) throw blameNumbers('too-many-guides');
  const problems = new ProblemList();
  tidyFields(request, FIELDS, (name) => problems.add(() => unknownField(name, FIELDS)));
  const kind = parseKind(Tipo, problems);
  const numbers = Guias.map((number: unknown, indice) => {
    if (typeof number !== 'string') addType(problems, { indice, campo: 'Guias' }, number);
    return String(tidy(number));
  });
  if (problems.total > 0 || !kind) {
    throw new DomainError('guides-invalid', { problems: problems.first, problemsTotal: problems.total });
  }
  return { numbers, kind };
}

function blameNumbers(code: ErrorCode): DomainError {
  return new DomainError(code, { problems: [{ campo: 'Guias', code }] });
}

function parseKind(value: unknown, problems: ProblemList): LabelPayload['kind'] | undefined {
  const campo = 'Tipo';
  const text = tidy(value);
  if (isAbsent(text)) problems.add(() => ({ campo, code: 'field-required' }));
  else if (typeof text !== 'string') addType(problems, { campo }, text);
  else if (Object.hasOwn(KINDS_BY_NAME, text)) return KINDS_BY_NAME[text as KindName];
  else {
    const params = { rule: `solo acepta: ${KIND_NAMES.join(', ')}` };
    problems.add(() => ({ campo, code: 'field-invalid', params }));
  }
  return undefined;
}

function addType(problems: ProblemList, place: { indice?: number; campo: string }, value: unknown): void {
  problems.add(() => ({
    ...place,
    code: 'field-type',
    params: { expected: 'string', given: typeOf(value) },
  }));
}
