import type { TSchema } from 'typebox';
import { expect, test } from 'vitest';
import { tidy } from '#services/api/http/body.ts';
import { MAX_GUIDES, MAX_QUOTE_LENGTH, SentGuide } from '#shared/guides/guide.ts';
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
