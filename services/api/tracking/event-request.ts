import { hash } from 'node:crypto';
import type { ErrorObject } from 'ajv';
import { branchCode } from '#shared/branches/branch.ts';
import { type Problem, ProblemList } from '#shared/errors/domain-error.ts';
import { EVENT_TYPES, SIDES, TYPE_FIELDS, typesWith } from '#shared/guides/event-types.ts';
import { strictAjv } from '#shared/schemas/strict-ajv.ts';
import { Event, MAX_EVENTS } from '#shared/tracking/event.ts';
import type { EventBody } from '#shared/tracking/event-model.ts';
import { isGuideNumber } from '../guides/guide-number.ts';
import { arrayIn, isAbsent, isObject, normalizeFields, toProblem } from '../http/body.ts';

export const EVENT_FIELDS = Object.keys(Event.properties) as (keyof Event)[];
const KNOWN: ReadonlySet<string> = new Set(EVENT_FIELDS);
const REQUEST_FIELDS: ReadonlySet<string> = new Set(['Eventos']);
/** The fields of an event that have fields. */
const SECTIONS = Object.entries(Event.properties).flatMap(([name, schema]) =>
  'properties' in schema ? [[name, new Set(Object.keys(schema.properties))] as const] : [],
);

const isEvent = strictAjv({ allErrors: false, verbose: true }).compile<Event>(Event);

/**
 * Returns the events of a request as they were sent, one by one to be checked.
 *
 * @throws DomainError unless the body is an object with an array of 1 to 500 objects, and nothing else.
 */
export function eventsOf(body: unknown): Record<string, unknown>[] {
  const events = arrayIn(body, 'Eventos', MAX_EVENTS, ['events-missing', 'events-empty', 'too-many-events']);
  const problems = new ProblemList();
  normalizeFields(body as Record<string, unknown>, REQUEST_FIELDS, problems);
  for (const [indice, event] of events.entries()) {
    if (!isObject(event)) problems.add(() => ({ indice, code: 'event-invalid' }));
  }
  problems.throwIfAny('fields-invalid');
  return events as Record<string, unknown>[];
}

/** Checks the fields of an event by themselves. @returns the event in the form in which it is stored, or what is wrong. */
export function checkEvent(sent: Record<string, unknown>): EventBody | Problem {
  const unknown = new ProblemList();
  const fields = normalizeFields(sent, KNOWN, unknown);
  for (const [section, known] of SECTIONS) {
    const value = fields[section];
    if (isObject(value)) fields[section] = normalizeFields(value, known, unknown, { section });
  }
  if (unknown.first[0]) return unknown.first[0];
  if (typeof fields.Sucursal === 'string') fields.Sucursal = branchCode(fields.Sucursal);
  if (!isEvent(fields)) return toProblem(isEvent.errors?.[0] as ErrorObject);
  if (!isGuideNumber(fields.Guia)) return { campo: 'Guia', code: 'guide-not-found' };
  const { requires, allows = [] } = EVENT_TYPES[fields.Tipo];
  const hasSides = SIDES.some((side) => !isAbsent(fields[side]));
  for (const campo of TYPE_FIELDS) {
    const isSide = SIDES.some((side) => side === campo);
    if (isAbsent(fields[campo])) {
      if (campo === requires || (isSide && hasSides)) return { campo, code: 'field-required' };
    } else if (campo !== requires && !allows.includes(campo)) {
      const rule = `solo va con Tipo ${typesWith(campo).join(' o ')}`;
      return { campo, code: 'field-invalid', params: { rule } };
    }
  }
  const occurred = new Date(fields.Ocurrido);
  // A leap second has the form of a time, and is none.
  if (Number.isNaN(occurred.getTime())) return invalidTime('debe ser una fecha y hora con zona (RFC 3339)');
  const event = { ...fields, Ocurrido: occurred.toISOString() };
  return { ...event, Id: event.Id ?? idOf(event) };
}

export function invalidTime(rule: string): Problem {
  return { campo: 'Ocurrido', code: 'field-invalid', params: { rule } };
}

/** Makes the id of an event that has none: the same event again has the same id. */
function idOf({ Guia, Paquete, Tipo, Ocurrido, Sucursal }: Event): string {
  return hash('sha256', JSON.stringify([Guia, Paquete, Tipo, Ocurrido, Sucursal]), 'base64url');
}
