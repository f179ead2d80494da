import type { ErrorObject } from 'ajv';
import { Guide, MAX_GUIDES, SERVICE_TYPES, type ServiceType } from '#shared/contracts/guide.ts';
import { guideAjv } from '#shared/contracts/guide-validator.ts';
import { DomainError, type ErrorCode, MAX_PROBLEMS, type Problem } from '#shared/errors.ts';

/** Longest name of an unknown field in an answer, in characters: the name is the caller's own text. */
const MAX_NAME_LENGTH = 120;

const isGuide = guideAjv({ allErrors: true, verbose: true }).compile<Guide>(Guide);

/**
 * Checks the body of a creation request step by step (docs/contract.md "Guides"): the array, the service type, then
 * all fields of all guides together.
 *
 * @param body parsed JSON, of any shape; it is normalised in place.
 * @throws DomainError of the first step that fails; `guides-invalid` names all fields that are wrong.
 */
export function parseGuideRequest(body: unknown): { service: ServiceType; guides: Guide[] } {
  const { Guia, TipoServicio, ...unknown } = isObject(body) ? body : {};
  if (!Array.isArray(Guia)) throw blame('Guia', 'guia-array-missing');
  if (Guia.length === 0) throw blame('Guia', 'guia-array-empty');
  if (Guia.length > MAX_GUIDES) throw blame('Guia', 'too-many-guides');
  const service = parseServiceType(TipoServicio);
  const problems: Problem[] = Object.keys(unknown).map((name) => unknownField(name));
  for (const [indice, guide] of Guia.entries()) {
    if (problems.length >= MAX_PROBLEMS) break;
    dropEmptyFields(guide);
    problems.push(...problemsOf(guide).map((problem) => ({ indice, ...problem })));
  }
  if (problems.length > 0) throw new DomainError('guides-invalid', { problems });
  return { service, guides: Guia };
}

/** Returns the refusal for which one field of the body is to blame. */
function blame(campo: 'Guia' | 'TipoServicio', code: ErrorCode): DomainError {
  return new DomainError(code, { problems: [{ campo, code }] });
}

function parseServiceType(value: unknown): ServiceType {
  const text = typeof value === 'string' ? value.trim() : value;
  if (text === undefined || text === null || text === '') throw blame('TipoServicio', 'service-type-missing');
  const service = SERVICE_TYPES.find((type) => type === text);
  if (!service) throw blame('TipoServicio', 'service-type-unknown');
  return service;
}

/**
 * Trims the strings of a guide's sections and removes what clients send for "nothing": null and blank text.
 * Required fields are then found missing by the schema. Goes two levels deep, as deep as a guide is.
 */
function dropEmptyFields(guide: unknown, depth = 2): void {
  if (!isObject(guide)) return;
  for (const [name, value] of Object.entries(guide)) {
    const kept = typeof value === 'string' ? value.trim() : value;
    if (kept === null || kept === '') delete guide[name];
    else guide[name] = kept;
    if (depth > 1) dropEmptyFields(kept, depth - 1);
  }
}

function problemsOf(guide: unknown): Problem[] {
  if (isGuide(guide)) return [];
  // An `anyOf` that fails has an error of its own; those of its branches would say the same again.
  const errors = isGuide.errors?.filter(({ schemaPath }) => !schemaPath.includes('/anyOf/')) ?? [];
  return errors.map(toProblem);
}

function toProblem({ keyword, instancePath, params, parentSchema }: ErrorObject): Problem {
  const path = instancePath.slice(1).replaceAll('/', '.');
  const inside = (name: string) => (path ? `${path}.${name}` : name);
  switch (keyword) {
    case 'required':
      return { campo: inside(params.missingProperty), code: 'field-required' };
    case 'additionalProperties':
      return unknownField(inside(params.additionalProperty));
    case 'anyOf':
      return { campo: inside('CodigoPostal'), code: 'destination-missing' };
    default: {
      const rule = { params: { rule: parentSchema?.['x-regla'] } };
      return path ? { campo: path, code: 'field-invalid', ...rule } : { code: 'guide-invalid', ...rule };
    }
  }
}

function unknownField(name: string): Problem {
  return { campo: name.slice(0, MAX_NAME_LENGTH), code: 'field-unknown' };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
