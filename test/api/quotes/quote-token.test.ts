import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SENT_FIELDS } from '#services/api/guides/schemas.ts';
import { isExpired, type Quote } from '#services/api/quotes/quote.ts';
import { QuoteTokens } from '#services/api/quotes/quote-token.ts';
import { MAX_SURCHARGES } from '#services/api/quotes/tariffs/check-tariff.ts';
import { MAX_QUOTE_LENGTH } from '#shared/guides/guide.ts';

const SECRET = 'a secret of at least thirty-two characters';
const OTHER_SECRET = 'another secret of at least thirty-two characters';
const EXPIRES = Date.parse('2026-12-02T05:59:59Z') / 1_000;
const PLAIN = { minimum: 0, fixed: 0, count: 1 };
const quote: Quote = {
  ...{ version: 12, list: 'mayoreo', zone: '3', freight: 12_780, total: 19_430 },
  origin: 'MEX01',
  destination: 'MTY01',
  parcel: {
    ...{ origin: '06600', destination: '64000', service: 'Domicilio', type: 'Paquete', packages: 1 },
    ...{ grams: 2_500, sides: [150, 200, 300], declared: 150_000 },
  },
  lines: [
    { concept: 'flete', amount: 14_200, upToGrams: 5_000, extraGrams: 0 },
    { concept: 'descuento', amount: -1_420, percentage: 1_000, base: 14_200, ...PLAIN },
    { concept: 'combustible', amount: 1_470, percentage: 1_150, base: 12_780, ...PLAIN },
    { concept: 'seguro', amount: 2_500, percentage: 150, base: 150_000, ...PLAIN, minimum: 2_500 },
    { concept: 'iva', amount: 2_680, percentage: 1_600, base: 16_750, ...PLAIN },
  ],
  billedGrams: 3_000,
  volumetricGrams: 1_800,
  delivery: { from: '2026-11-26', to: '2026-11-27', receivedBefore: EXPIRES - 600_000 },
  expires: EXPIRES,
};
const tokens = new QuoteTokens(SECRET);
const token = tokens.sign('tienda', quote);

describe('the token of a quote', () => {
  test('gives back what was quoted, to its account', () => {
    expect(tokens.read('tienda', token)).toEqual(quote);
    expect(token.length).toBeLessThan(700);
  });

  test('binds to its last second, and not a second longer', () => {
    expect(isExpired(quote, EXPIRES * 1_000 + 999)).toBe(false);
    expect(isExpired(quote, EXPIRES * 1_000 + 1_000)).toBe(true);
  });

  test('is invalid for any other account', () => expect(tokens.read('otro', token)).toBeUndefined());

  test('is invalid with any character altered', () => {
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.constantFrom(...'AZaz09-_.'), (index, character) => {
        const altered = `${token.slice(0, index)}${character}${token.slice(index + 1)}`;
        if (altered !== token) expect(tokens.read('tienda', altered)).toBeUndefined();
      }),
      { numRuns: 2_000 },
    );
    const last = token.at(-1) ?? '';
    for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_') {
      if (character !== last) expect(tokens.read('tienda', token.slice(0, -1) + character)).toBeUndefined();
    }
  });

  test('is good while its secret is the former one, and then no more', () => {
    expect(new QuoteTokens(OTHER_SECRET, SECRET).read('tienda', token)).toEqual(quote);
    expect(new QuoteTokens(OTHER_SECRET).read('tienda', token)).toBeUndefined();
  });

  test('fits into a guide with the most surcharges, each as long as it may be', () => {
    const [name, most] = ['ñ'.repeat(16), Number.MAX_SAFE_INTEGER];
    const line = { concept: name, amount: most, percentage: 9_999, base: most };
    const longest: Quote = {
      ...quote,
      ...{ version: 999_999_999, list: name, zone: name },
      parcel: { ...quote.parcel, type: '\u{1F4E6}'.repeat(40), packages: 99, declared: 99_999_999_999 },
      lines: [
        { concept: 'flete', amount: most, upToGrams: 1_000_000, extraGrams: 1_000_000 },
        { ...line, ...PLAIN, concept: 'descuento' },
        ...Array(MAX_SURCHARGES).fill({ ...line, minimum: 999_999_999, fixed: 999_999_999, count: 99 }),
        { ...line, ...PLAIN, concept: 'iva' },
      ],
    };
    const account = '\u{1F4E6}'.repeat(64);
    const long = tokens.sign(account, longest);
    expect(long).toMatch(new RegExp(SENT_FIELDS.Cotizacion.pattern));
    expect(long.length).toBeLessThanOrEqual(MAX_QUOTE_LENGTH);
    expect(tokens.read(account, long)).toMatchObject({ parcel: longest.parcel, lines: longest.lines });
  });
});
