import { mongo } from 'mongoose';
import type { TSchema } from 'typebox';
import { expect, test } from 'vitest';
import { tidy } from '#services/api/http/body.ts';
import { MAX_SURCHARGES } from '#services/api/quotes/tariffs/check-tariff.ts';
import { describeLine } from '#services/api/quotes/tariffs/price.ts';
import type { JournalEntry } from '#shared/guides/creation-model.ts';
import { Guide, MAX_GUIDES, MAX_QUOTE_LENGTH, SentGuide } from '#shared/guides/guide.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import { BODY_LIMIT_MIB, MAX_BODY_VALUES } from '#shared/http/http-errors.ts';

type Schema = TSchema & {
  properties?: Record<string, Schema>;
  type: string;
  maxLength?: number;
  maximum?: number;
};

/** Returns the longest value of a schema. */
function longest({ properties, type, maxLength = 0, maximum = 0 }: Schema, letter: string): unknown {
  if (properties) {
    return Object.fromEntries(
      Object.entries(properties).map(([name, part]) => [name, longest(part, letter)]),
    );
  }
  return type === 'string' ? letter.repeat(maxLength) : maximum;
}

function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, part) => sum + valuesIn(part), 1);
}

const { Cotizacion: _, ...unquoted } = SentGuide.properties;
test.for([
  ['letters of two bytes, without a quote', 'ñ', unquoted],
  ['letters of one byte, with the longest quote', 'n', SentGuide.properties],
] as const)('as many full guides as a request may have fit into its body: %s', ([, letter, properties]) => {
  const guide = longest({ type: 'object', properties } as Schema, letter);
  const Guia = Array.from({ length: MAX_GUIDES }, () => guide);
  const body = { TipoServicio: 'Domicilio', Guia };
  expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(BODY_LIMIT_MIB * 2 ** 20);
  expect(valuesIn(body)).toBeLessThan(MAX_BODY_VALUES);
});

test('the longest quote is read whole', () => {
  const quote = 'n'.repeat(MAX_QUOTE_LENGTH);
  expect(tidy(quote)).toBe(quote);
});

/** A creation is one document of MongoDB, which holds 16 MiB. */
test('as many full guides as a request may have fit into the journal, with the longest quotes and places', () => {
  const [name, text, moment] = ['ñ'.repeat(16), 'ñ'.repeat(120), new Date()];
  const [branch, address] = [
    { code: text, name: text },
    { Calle: text, Numero: text, Colonia: text },
  ];
  const charge = { concept: name, amount: 1, percentage: 9_999, base: 99_999_999_999 };
  const Descripcion = describeLine({ ...charge, minimum: 999_999_999, fixed: 999_999_999, count: 99 }, '', 1);
  // What comes later, or in place of a quote.
  const absent = [
    'anonymised',
    'events',
    'cancelled',
    'adjustment',
    'createdFor',
    'unquoted',
    'facts',
    'billed',
  ] as const;
  const record: Required<Omit<GuideDocument, (typeof absent)[number]>> = {
    ...{ _id: '482913650724', creation: 'c'.repeat(36), username: text, account: text, route: 'R-123456' },
    ...{ createdAt: '2026-07-14T10:32:05', createdUtc: moment, expiresAt: moment, status: 'Documentado' },
    ...{ service: 'the service', origin: branch, destination: branch, freight: 0.01, total: 0.01 },
    pickUp: {
      ...{ ...address, CodigoPostal: '06600', Municipio: text, Estado: text, Telefono: text, Horario: text },
    },
    quote: {
      Conceptos: Array(MAX_SURCHARGES + 3).fill({ Concepto: name, Descripcion, Importe: 0.01 }),
      Peso: { Real: 0.001, Volumetrico: 0.001, Cobrado: 0.001, Paquetes: 99 },
      EntregaEstimada: { Desde: '2026-11-26', Hasta: '2026-11-27', SiSeRecibeAntesDe: moment.toISOString() },
      Tarifa: { Version: 999_999_999, Lista: name, Zona: name },
    },
    priced: {
      account: text,
      parcel: {
        ...{
          origin: '06600',
          destination: '64000',
          service: 'the service',
          type: 'ñ'.repeat(40),
          packages: 99,
        },
        ...{ grams: 0.5, sides: [0.5, 0.5, 0.5], declared: 0.5 },
      },
    },
    guide: longest(Guide as unknown as Schema, 'ñ') as Guide,
    sought: { name: text, phones: Array(2).fill('1'.repeat(15)) },
  };
  const records = Array.from({ length: MAX_GUIDES }, () => record);
  const entry: JournalEntry = {
    _id: 'k'.repeat(64),
    creation: record.creation,
    bodyHash: text,
    lastingHash: text,
    openSince: moment,
    records,
  };
  expect(mongo.BSON.calculateObjectSize(entry)).toBeLessThan(16 * 2 ** 20);
});
