import { MAX_GUIDES } from '#shared/contracts/guide.ts';
import { kindOfTipo, type LabelKind, TIPOS } from '#shared/contracts/label-kinds.ts';
import { DomainError, type ErrorCode, ProblemList } from '#shared/errors.ts';
import { isAbsent, isObject, tidy, tidyFields } from '../guides/request/guide-forms.ts';
import { typeOf, unknownField } from '../guides/request/guide-request.ts';

const FIELDS: ReadonlySet<string> = new Set(['Guias', 'Tipo']);

export type LabelFileRequest = {
  /** Of the guides, in the order of the pages; any text. */
  numbers: string[];
  kind: LabelKind;
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
    if (typeof number === 'string') return tidy(number);
    addType(problems, { indice, campo: 'Guias' }, number);
    return ''; // not String(number): that throws where the client's object has a toString of its own
  });
  if (problems.total > 0 || !kind) {
    throw new DomainError('guides-invalid', { problems: problems.first, problemsTotal: problems.total });
  }
  return { numbers, kind };
}

function blameNumbers(code: ErrorCode): DomainError {
  return new DomainError(code, { problems: [{ campo: 'Guias', code }] });
}

function parseKind(value: unknown, problems: ProblemList): LabelKind | undefined {
  const campo = 'Tipo';
  const text = tidy(value);
  const kind = typeof text === 'string' ? kindOfTipo(text) : undefined;
  const params = { rule: `solo acepta: ${TIPOS.join(', ')}` };
  if (isAbsent(text)) problems.add(() => ({ campo, code: 'field-required' }));
  else if (typeof text !== 'string') addType(problems, { campo }, text);
  else if (!kind) problems.add(() => ({ campo, code: 'field-invalid', params }));
  return kind;
}

function addType(problems: ProblemList, place: { indice?: number; campo: string }, value: unknown): void {
  problems.add(() => ({
    ...place,
    code: 'field-type',
    params: { expected: 'string', given: typeOf(value) },
  }));
}
