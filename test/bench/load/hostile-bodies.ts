import { BODY_LIMIT_MIB, MAX_BODY_VALUES } from '#shared/http/http-errors.ts';
import { minimalGuide } from '#test/fixtures/client.ts';
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

/** The postal code of `COLONIAS`, which the demo data covers. */
export const COLONIAS_CODE = '64000';
const WORDS = ['alamos', 'cedros', 'encinos', 'fresnos', 'sauces'];
/** As many colonias as the largest codes have, long and alike, so that each must be compared with a misspelt name. */
export const COLONIAS = Array.from({ length: 250 }, (_, i) => coloniaName(i, String(i).padStart(3, '0')));

function coloniaName(turn: number, end: string): string {
  return [...WORDS.slice(turn % WORDS.length), ...WORDS.slice(0, turn % WORDS.length), end].join(' ');
}

/** A creation below the size of large bodies, each of whose guides misspells two colonias. */
export function misspeltColonias(): string {
  const colonia = (i: number) => coloniaName(i, 'x'.repeat(4));
  const Guia = Array.from({ length: 45 }, (_, i) => ({
    ...minimalGuide({ CodigoPostal: COLONIAS_CODE, Colonia: colonia(i) }),
    Remitente: { Nombre: 'A', CodigoPostal: COLONIAS_CODE, Colonia: colonia(i + 1) },
  }));
  return JSON.stringify({ TipoServicio: 'Domicilio', Guia });
}

const MOST_PACKAGES = 99;
/** Most events in one request. */
const MOST_EVENTS = 500;
const GOODS = { Contenido: 'Libros', Peso: 3, Largo: 30, Alto: 20, Ancho: 10 };

/** A guide of as many packages as there may be. */
export function manyPackages(): object {
  const guide = minimalGuide({ CodigoPostal: COLONIAS_CODE });
  return { ...guide, Producto: { ...GOODS, Paquetes: MOST_PACKAGES } };
}

/** As many weighings of such a guide as one request takes, each of another weight. @param more fields of each. */
export function weighings(more: object = {}): object[] {
  return Array.from({ length: MOST_EVENTS }, (_, i) => ({
    Tipo: 'Pesaje',
    Paquete: (i % MOST_PACKAGES) + 1,
    Peso: 1 + ((i * 7) % 600) / 10,
    ...more,
  }));
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
