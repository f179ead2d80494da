import { SIDES } from '#shared/guides/event-types.ts';
import { Event } from '#shared/tracking/event.ts';

/** The columns of a CSV file of events: their fields, with dots. */
export const COLUMNS = Object.entries(Event.properties).flatMap(([name, schema]) =>
  'properties' in schema ? Object.keys(schema.properties).map((inner) => `${name}.${inner}`) : [name],
);

/** How a number is written that an event has: the others are texts. */
const WEIGHED = /^\d{1,4}(\.\d{1,6})?$/;
const NUMBERS: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(['Paquete', 'Peso', ...SIDES].map((name) => [name, WEIGHED])),
  'Cobrado.Monto': /^\d{1,6}(\.\d{1,2})?$/,
};

/** Returns an event as a request has it. */
export function toEvent(cells: Readonly<Record<string, string>>): Record<string, unknown> {
  const event: Record<string, unknown> = {};
  for (const [column, text] of Object.entries(cells)) {
    if (text === '') continue;
    const [name = '', inner] = column.split('.');
    const value = NUMBERS[column]?.test(text) ? Number(text) : text;
    if (inner === undefined) event[name] = value;
    else event[name] = { ...(event[name] as object | undefined), [inner]: value };
  }
  return event;
}
