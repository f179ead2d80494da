import type { ErrorObject } from 'ajv';
import {
  type Guide,
  guideAjv,
  MAX_GUIDES,
  SERVICE_TYPES,
  SentGuide,
  type ServiceType,
} from '#shared/contracts/guide.ts';
import { DomainError, type ErrorCode, MAX_NAME_LENGTH, type Problem, ProblemList } from '#shared/errors.ts';
import { closestName } from './closest-name.ts';
import {
  isAbsent,
  isObject,
  normalizeGuide,
  type OnUnknown,
  tidy,
  tidyFields,
  tidyGuide,
} from './guide-forms.ts';
import { addUnprintable } from './unprintable-texts.ts';

/** The types of JSON Schema that are numbers. */
const NUMERIC: ReadonlySet<string> = new Set(['number', 'integer']);
const REQUEST_FIELDS: ReadonlySet<string> = new Set(['TipoServicio', 'Guia']);

const isSentGuide = guideAjv({ allErrors: true, verbose: true }).compile<Guide>(SentGuide);

export type GuideRequest = {
  service: ServiceType;
  /** As they are stored. */
  guides: Guide[];
  /** Unknown fields that were left out, where they are not refused, and texts that labels do not print whole. */
  warnings: ProblemList;
};

/**
 * Checks the body of a creation request step by step (docs/contract.md "Guides"): the array, the service type, then
 * all fields of all guides together.
 *
 * @param body parsed JSON, of any shape.
 * @param lenient leaves unknown fields out in place of refusing them (docs/contract.md "Guides").
 * @throws DomainError of the first step that fails; `guides-invalid` names the fields that are wrong.
 */
export function parseGuideRequest(body: unknown, lenient = false): GuideRequest {
  const request = isObject(body) ? body : {};
  const { Guia, TipoServicio } = request;
  if (!Array.isArray(Guia)) throw blame('Guia', 'guia-array-missing');
  if (Guia.length === 0) throw blame('Guia', 'guia-array-empty');
  if (Guia.length > MAX_GUIDES) throw blame('Guia', 'too-many-guides');
  const service = parseServiceType(TipoServicio);
  const problems = new ProblemList();
  const warnings = new ProblemList();
  const unknown = lenient ? warnings : problems;
  tidyFields(request, REQUEST_FIELDS, (name) => unknown.add(() => unknownField(name, REQUEST_FIELDS)));
  const guides = Guia.map((sent, indice) => {
    const onUnknown: OnUnknown = (...field) => unknown.add(() => ({ indice, ...unknownField(...field) }));
    const guide = tidyGuide(sent, onUnknown);
    if (isSentGuide(guide)) {
      normalizeGuide(guide);
      addUnprintable(warnings, indice, guide);
    } else addProblems(problems, indice, isSentGuide.errors ?? []);
    return guide as Guide;
  });
  if (problems.total > 0) {
    throw new DomainError('guides-invalid', { problems: problems.first, problemsTotal: problems.total });
  }
  return { service, guides, warnings };
}

/** Returns the refusal for which one field of the body is to blame. */
export function blame(campo: string, code: ErrorCode): DomainError {
  return new DomainError(code, { problems: [{ campo, code }] });
}

function parseServiceType(value: unknown): ServiceType {
  const text = tidy(value);
  if (isAbsent(text)) throw blame('TipoServicio', 'service-type-missing');
  const service = SERVICE_TYPES.find((type) => type === text);
  if (!service) throw blame('TipoServicio', 'service-type-unknown');
  return service;
}

/** Returns what is wrong with a field that is not one of `known`, with the section that it stands in. */
export function unknownField(name: string, known: ReadonlySet<string>, section?: string): Problem {
  const campo = section === undefined ? name : `${section}.${name}`;
  const params = { meant: closestName(name, known) };
  return { campo: campo.slice(0, MAX_NAME_LENGTH), code: 'field-unknown', params };
}

/** Adds what Ajv found, one problem a field: a text that is too long need not also hear of its form. */
function addProblems(problems: ProblemList, indice: number, errors: ErrorObject[]): void {
  const seen = new Set<string | undefined>();
  for (const error of errors) {
    // An `anyOf` that fails has an error of its own; those of its branches would say the same again.
    if (error.schemaPath.includes('/anyOf/')) continue;
    const problem = toProblem(error);
    if (seen.has(problem.campo)) continue;
    seen.add(problem.campo);
    problems.add(() => ({ indice, ...problem }));
  }
}

/** Says what Ajv found of a field. */
export function toProblem({ keyword, instancePath, params, parentSchema, data }: ErrorObject): Problem {
  const path = instancePath.slice(1).replaceAll('/', '.');
  const inside = (name: string) => (path ? `${path}.${name}` : name);
  const rule = parentSchema?.['x-regla'];
  switch (keyword) {
    case 'required':
      return { campo: inside(params.missingProperty), code: 'field-required' };
    case 'anyOf':
      return { campo: inside('CodigoPostal'), code: 'destination-missing' };
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

/** Returns the type of a value as JSON has it. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
