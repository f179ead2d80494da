import type { TSchema } from 'typebox';
import { expect, test } from 'vitest';
import { MAX_GUIDES, SentGuide } from '#shared/guides/guide.ts';
import { BODY_LIMIT_MIB, MAX_BODY_VALUES } from '#shared/http/http-errors.ts';

type Schema = TSchema & {
  properties?: Record<string, Schema>;
  type: string;
  maxLength?: number;
  maximum?: number;
};

/** Returns the longest value of a schema, of letters that take two bytes each. */
function longest({ properties, type, maxLength = 0, maximum = 0 }: Schema): unknown {
  if (properties) {
    return Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, longest(part)]));
  }
  return type === 'string' ? 'ñ'.repeat(maxLength) : maximum;
}

function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, part) => sum + valuesIn(part), 1);
}

test('as many guides as a request may have fit into its body, with every field as long as it may be', () => {
  const { Cotizacion: _, ...properties } = SentGuide.properties;
  const Guia = Array.from({ length: MAX_GUIDES }, () => longest({ type: 'object', properties } as Schema));
  const body = { TipoServicio: 'Domicilio', Guia };
  expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(BODY_LIMIT_MIB * 2 ** 20);
  expect(valuesIn(body)).toBeLessThan(MAX_BODY_VALUES);
});
