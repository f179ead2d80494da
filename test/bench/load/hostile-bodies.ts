import { BODY_LIMIT_MIB, MAX_BODY_VALUES } from '#shared/http/http-errors.ts';
import { newGuide } from './guides.ts';

/** Bytes of the largest body, less those around what fills it. */
const ROOM = BODY_LIMIT_MIB * 1024 * 1024 - 1_000;
/** Values of the body that has most of them, less those of its guide. */
const VALUES = MAX_BODY_VALUES - 100;

/** Bodies of a creation that cost the most to refuse, within the limits on bytes and values, and one beyond. */
export function hostileBodies(): string[] {
  const names = (count: number, nameOf: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => `${JSON.stringify(nameOf(i))}:1`).join();
  const beside = (fields: string) =>
    `{"TipoServicio":"Domicilio","Guia":[${JSON.stringify(newGuide())}],${fields}}`;
  const length = Math.floor(ROOM / VALUES) - 5;
  return [
    beside(names(200_000, (i) => `k${i}`)), // refused unparsed
    beside(names(VALUES, (i) => `k${i}`)),
    beside(names(VALUES, (i) => String(i).padStart(length, 'k'))),
    beside(names(VALUES, (i) => String(i * 50_000))), // sparse array indices
    beside(`"${'k'.repeat(ROOM)}":1`),
    beside(`"x":${'['.repeat(VALUES)}${']'.repeat(VALUES)}`),
    beside(`"x":${'{"a":'.repeat(VALUES)}1${'}'.repeat(VALUES)}`),
    beside(`"x":${'9'.repeat(1_000_000)}`),
    JSON.stringify({ TipoServicio: 'Domicilio', Guia: Array.from({ length: 500 }, wrongGuide) }),
  ];
}

/** A guide each of whose fields is of a wrong type. */
function wrongGuide() {
  const sections = Object.entries(newGuide()) as [string, object][];
  return Object.fromEntries(
    sections.map(([name, fields]) => [
      name,
      Object.fromEntries(Object.keys(fields).map((field) => [field, []])),
    ]),
  );
}
