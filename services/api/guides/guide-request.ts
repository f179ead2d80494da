import type { ErrorObject } from 'ajv';
import { Guide, SERVICE_TYPES, type ServiceType } from '#shared/contracts/guide.ts';
import { guideAjv } from '#shared/contracts/guide-validator.ts';
import { DomainError, type Problem } from '#shared/errors.ts';

/** Most guides in one request (docs/contract.md "Guides"). */
export const MAX_GUIDES = 500;
const MAX_PROBLEMS = 50;

const isGuide = guideAjv({ allErrors: true, verbose: true }).compile<Guide>(Guide);

/**
 * Checks the body of a creation request, step by step in the order of docs/contract.md "Guides": the array,
 * the service type, then all fields of all guides together.
 *
 * @param body parsed JSON, of any shape; it is normalised in place.
 * @throws DomainError of the first step that fails; for the fields with `details` of all that is wrong.
 */
export function parseGuideRequest(body: unknown): { service: ServiceType; guides: Guide[] } {
  const { Guia, TipoServicio } = isObject(body) ? body : {};
  if (!Array.isArray(Guia)) throw new DomainError('guia-array-missing');
  if (Guia.length === 0) throw new DomainError('guia-array-empty');
  if (Guia.length > MAX_GUIDES) throw new DomainError('too-many-guides');
  const service = parseServiceType(TipoServicio);
  const problems: Problem[] = unknownFields(body as object);
  for (const [indice, guide] of Guia.entries()) {
    if (problems.length >= MAX_PROBLEMS) break;
    dropEmptyFields(guide);
    if (isGuide(guide)) continue;
    // What is inside of `anyOf` is said by the `anyOf` itself.
    const errors = isGuide.errors?.filter(({ schemaPath }) => !schemaPath.includes('/anyOf/')) ?? [];
    problems.push(...errors.map((error) => toProblem(indice, error)));
  }
  if (problems[0]) throw guidesInvalid(problems);
  return { service, guides: Guia };
}

/** All that is wrong with the guides of a request; the first is the answer's message. */
export function guidesInvalid(problems: Problem[]): DomainError {
  return new DomainError('guides-invalid', {
    params: { first: problems[0]?.message ?? '' },
    details: problems,
  });
}

function parseServiceType(value: unknown): ServiceType {
  if (value === undefined || value === null || value === '') throw new DomainError('service-type-missing');
  const service = SERVICE_TYPES.find((type) => type === (typeof value === 'string' ? value.trim() : value));
  if (!service) throw new DomainError('service-type-unknown');
  return service;
}

function unknownFields(body: object): Problem[] {
  return Object.keys(body)
    .filter((name) => name !== 'Guia' && name !== 'TipoServicio')
    .map((name) => unknownField(name));
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

function toProblem(indice: number, error: ErrorObject): Problem {
  const parent = error.instancePath.slice(1).replaceAll('/', '.');
  const inParent = (name: string) => (parent ? `${parent}.${name}` : name);
  if (error.keyword === 'required') {
    const campo = inParent(error.params.missingProperty);
    return { indice, campo, message: `El campo '${campo}' es requerido` };
  }
  if (error.keyword === 'additionalProperties') {
    return { indice, ...unknownField(inParent(error.params.additionalProperty)) };
  }
  if (error.keyword === 'anyOf') {
    return { indice, campo: inParent('CodigoPostal'), message: 'Se requiere DestinoCode o CodigoPostal' };
  }
  const rule = error.parentSchema?.['x-regla'] ?? 'no es valido';
  return parent
    ? { indice, campo: parent, message: `El campo '${parent}' ${rule}` }
    : { indice, message: `Cada elemento de 'Guia' ${rule}` };
}

/** The name is the caller's own text, so it is cut to a length that an answer can carry. */
function unknownField(name: string): Problem {
  const campo = name.slice(0, 120);
  return { campo, message: `Campo desconocido: '${campo}'` };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
