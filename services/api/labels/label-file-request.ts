import { MAX_GUIDES } from '#shared/contracts/guide.ts';
import { kindOfTipo, type LabelKind, TIPOS } from '#shared/contracts/label-kinds.ts';
import { type Problem, ProblemList } from '#shared/errors/domain-error.ts';
import { arrayIn, isAbsent, normalizeFields, tidy, typeOf } from '../requests/body.ts';

const FIELDS: ReadonlySet<string> = new Set(['Guias', 'Tipo']);

export type LabelFileRequest = {
  /** Any text, in the order of the pages. */
  numbers: string[];
  kind: LabelKind;
};

/**
 * Checks the body of a request for many labels (docs/contract.md "Guides"): the array, then all else.
 * @throws DomainError of the array, or `fields-invalid` with all problems.
 */
export function parseLabelFileRequest(body: unknown): LabelFileRequest {
  const sent = arrayIn(body, 'Guias', MAX_GUIDES, ['numbers-missing', 'numbers-empty', 'too-many-guides']);
  const problems = new ProblemList();
  const { Tipo } = normalizeFields(body as Record<string, unknown>, FIELDS, problems);
  const kind = typeof Tipo === 'string' ? kindOfTipo(Tipo) : undefined;
  if (!kind) problems.add(() => problemOf(Tipo));
  const numbers = sent.map((number, indice) => {
    if (typeof number === 'string') return tidy(number);
    problems.add(() => ({ indice, ...wrongType('Guias', number) }));
    return ''; // String(number) throws if the client's object has its own toString
  });
  problems.throwIfAny('fields-invalid');
  return { numbers, kind: kind as LabelKind };
}

function problemOf(tipo: unknown): Problem {
  const campo = 'Tipo';
  if (isAbsent(tipo)) return { campo, code: 'field-required' };
  if (typeof tipo !== 'string') return wrongType(campo, tipo);
  return { campo, code: 'field-invalid', params: { rule: `solo acepta: ${TIPOS.join(', ')}` } };
}

function wrongType(campo: string, value: unknown): Problem {
  return { campo, code: 'field-type', params: { expected: 'string', given: typeOf(value) } };
}
