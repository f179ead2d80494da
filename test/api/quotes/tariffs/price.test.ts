import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { percentOf, toUnits } from '#services/api/platform/amounts.ts';
import { parcelOf } from '#services/api/quotes/parcel.ts';
import { addDays, deliveryDays } from '#services/api/quotes/tariffs/delivery-days.ts';
import { PostalRanges } from '#services/api/quotes/tariffs/postal-ranges.ts';
import {
  describeLine,
  describeNoPrice,
  type Price,
  priceParcel,
  priceParcels,
} from '#services/api/quotes/tariffs/price.ts';
import { readTariff } from '#services/api/quotes/tariffs/read-tariff.ts';
import {
  priceKey,
  SURCHARGED_MEASURES,
  type Surcharge,
  type SurchargedMeasure,
  type Tariff,
} from '#services/api/quotes/tariffs/tariff.ts';
import { TariffReport } from '#services/api/quotes/tariffs/tariff-report.ts';
import type { Parcel } from '#shared/guides/guide-price.ts';
import { changed, demoTariff } from './demo-tariff.ts';

const postalCode = fc.integer({ min: 1_000, max: 99_999 }).map((code) => `${code}`.padStart(5, '0'));
const served = postalCode.filter((code) => demoTariff.groups.nameOf(code) !== undefined);
const side = fc.integer({ min: 1, max: 1_500 });
const parcel: fc.Arbitrary<Parcel> = fc.record({
  origin: served,
  destination: served,
  service: fc.constantFrom('Domicilio' as const, 'the service' as const),
  type: fc.constantFrom('', 'Sobre'),
  packages: fc.integer({ min: 1, max: 99 }),
  grams: fc.integer({ min: 1, max: 70_000 }),
  sides: fc
    .tuple(side, side, side)
    .map((sides) => sides.toSorted((one, other) => one - other) as [number, number, number]),
  declared: fc.integer({ min: 0, max: 99_999_999_999 }),
});
const account = fc.constantFrom('demo', 'otro');
const MEASURES = Object.keys(SURCHARGED_MEASURES) as SurchargedMeasure[];

/** Centavos, hundredths of a percent, or a limit of a surcharge. */
const amount = fc.integer({ min: 0, max: 10_000 });
/** The demo tariff with other numbers. No price falls with the weight: the check of a tariff warns of that. */
const tariff: fc.Arbitrary<Tariff> = fc
  .record({
    ...{ steps: fc.array(amount, { minLength: 8, maxLength: 8 }), extra: amount },
    ...{ divisor: fc.integer({ min: 1, max: 100_000 }), stepGrams: fc.constantFrom(1, 100, 1_000) },
    ...{ vat: amount, discount: amount },
    surcharges: fc.array(
      fc.record<Surcharge>({
        applies: fc.oneof(
          fc.constant('siempre' as const),
          fc.record({ measure: fc.constantFrom(...MEASURES), above: fc.nat(50_000) }),
        ),
        ...{ name: fc.constant('recargo'), amount, percentage: amount, minimum: amount },
        base: fc.constantFrom('flete', 'subtotal', 'declarado'),
        ...{ perPackage: fc.boolean(), days: fc.constant(0), line: fc.constant(2) },
      }),
      { maxLength: 5 },
    ),
  })
  .map(({ steps, extra, discount, surcharges, ...numbers }) => {
    const prices = [...demoTariff.prices].map(([key, { breaks, ...own }]) => {
      const priced = breaks.map((found, i) => ({
        ...found,
        price: steps.slice(0, i + 1).reduce((sum, step) => sum + step, 0),
        ...(found.extra !== undefined && { extra }),
      }));
      return [key, { ...own, breaks: priced }] as const;
    });
    const contracts = [...demoTariff.contracts].map(([name, own]) => [name, { ...own, discount }] as const);
    return {
      ...{ ...demoTariff, surcharges, prices: new Map(prices), contracts: new Map(contracts) },
      parameters: { ...demoTariff.parameters, ...numbers },
    };
  });

function priceOf(account: string, parcel: Parcel, tariff = demoTariff): Price | undefined {
  const price = priceParcel(tariff, account, parcel);
  return 'reason' in price ? undefined : price;
}

describe('a price', () => {
  test('is that of the documented example, line by line', () => {
    const price = priceOf('demo', {
      ...{ origin: '06600', destination: '64000', service: 'Domicilio', type: '', packages: 1 },
      ...{ grams: 2_500, sides: [150, 200, 300], declared: 150_000 },
    });
    expect(
      price?.lines.map((line) => [line.concept, describeLine(line, price.zone, 1), line.amount]),
    ).toEqual([
      ['flete', 'Zona 3, hasta 5 kg', 14_200],
      ['descuento', '10 % de 142.00', -1_420],
      ['combustible', '11.5 % de 127.80', 1_470],
      ['seguro', '1.5 % de 1500.00, minimo 25.00', 2_500],
      ['iva', '16 % de 167.50', 2_680],
    ]);
    expect(price).toMatchObject({
      freight: 12_780,
      total: 19_430,
      volumetricGrams: 1_800,
      billedGrams: 3_000,
    });
  });

  test.for([
    ['22000', '22000', '8 %'],
    ['22000', '06600', '16 %'],
    ['06600', '22000', '16 %'],
  ])(
    'from %s to %s has a VAT of %s: both ends must be at the border',
    ([origin, destination, percentage]) => {
      const price = priceOf('otro', {
        ...{ origin: origin as string, destination: destination as string, service: 'Domicilio', type: '' },
        ...{ packages: 1, grams: 2_500, sides: [150, 200, 300], declared: 0 },
      });
      const vat = price?.lines.find(({ concept }) => concept === 'iva');
      expect(price && vat && describeLine(vat, price.zone, 1)).toMatch(new RegExp(`^${percentage} de `));
    },
  );

  test('does not depend on the order of the rows of a file', async () => {
    const folder = changed('precios.csv', (text) => {
      const [head, ...rows] = text.trim().split('\n');
      return `${[head, ...rows.reverse()].join('\n')}\n`;
    });
    const reversed = await readTariff(folder, new TariffReport());
    for (const grams of [500, 2_500, 40_000]) {
      const light: Parcel = {
        ...{ origin: '06600', destination: '64000', service: 'Domicilio', type: '', packages: 1 },
        ...{ grams, sides: [10, 10, 10], declared: 0 },
      };
      expect(reversed && priceParcel(reversed, 'otro', light)).toEqual(
        priceParcel(demoTariff, 'otro', light),
      );
    }
  });

  test('of a parcel that is picked up is that to its branch, wherever the recipient’s home is', () => {
    const shipment = { Producto: { Peso: 1, Largo: 10, Alto: 10, Ancho: 10 } };
    const destination = { branch: { CodigoPostal: '64000' }, homePostalCode: '22000' };
    const ends = { origin: { CodigoPostal: '06600' }, destination };
    const to = (service: Parcel['service']) => parcelOf(service, shipment, ends).destination;
    expect([to('the service'), to('Domicilio')]).toEqual(['64000', '22000']);
  });

  test('is the sum of its lines, whole centavos, none of them 0', () => {
    fc.assert(
      fc.property(account, parcel, (account, parcel) => {
        const { lines, total, freight } = priceOf(account, parcel) ?? { lines: [], total: 0, freight: 0 };
        expect(lines.reduce((sum, { amount }) => sum + amount, 0)).toBe(total);
        for (const { amount } of lines) expect(Number.isSafeInteger(amount) && amount !== 0).toBe(true);
        const [first, second] = lines;
        const discount = second?.concept === 'descuento' ? second.amount : 0;
        expect(freight).toBe((first?.amount ?? 0) + discount);
      }),
    );
  });

  test('is never less for a parcel that is heavier, longer or worth more, unless a price falls with the weight', () => {
    fc.assert(
      fc.property(
        fc.option(tariff, { nil: demoTariff }),
        account,
        parcel,
        parcel,
        (tariff, account, one, other) => {
          const greater: Parcel = {
            ...one,
            grams: Math.max(one.grams, other.grams),
            sides: one.sides.map((length, i) => Math.max(length, other.sides[i] ?? 0)) as [
              number,
              number,
              number,
            ],
            declared: Math.max(one.declared, other.declared),
          };
          const price = priceOf(account, greater, tariff);
          if (price)
            expect(price.total).toBeGreaterThanOrEqual(
              priceOf(account, one, tariff)?.total ?? Number.POSITIVE_INFINITY,
            );
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test('holds up to and with the weight of its break, and not a gram more', () => {
    const weighing = (grams: number) => {
      const price = priceOf('otro', {
        ...{ origin: '06600', destination: '64000', service: 'Domicilio', type: '', packages: 2 },
        ...{ grams, sides: [1, 1, 1], declared: 0 },
      });
      const [line] = price?.lines ?? [];
      return line && [describeLine(line, '3', 2), line.amount];
    };
    expect(weighing(5_000)).toEqual(['Zona 3, hasta 5 kg × 2', 32_600]);
    expect(weighing(5_001)).toEqual(['Zona 3, hasta 10 kg × 2', 45_000]);
    expect(weighing(31_001)).toEqual(['Zona 3, hasta 30 kg y 2 kg mas × 2', 95_400]);
  });

  /** From Mexico City to Monterrey. */
  const light: Parcel = {
    ...{ origin: '06600', destination: '64000', service: 'Domicilio', type: '', packages: 1 },
    ...{ grams: 2_500, sides: [1, 1, 1], declared: 0 },
  };

  test('of unlike packages has a line for each kind, and the weight of the heaviest', () => {
    const price = priceParcels(demoTariff, 'otro', [{ ...light, packages: 2, grams: 6_000 }, light]);
    if ('reason' in price) expect.fail(price.reason);
    const freight = price.lines.filter(({ concept }) => concept === 'flete');
    expect(freight.map((line) => [describeLine(line, price.zone, 3), line.amount])).toEqual([
      ['Zona 3, hasta 10 kg × 2', 45_000],
      ['Zona 3, hasta 5 kg', 16_300],
    ]);
    expect(price).toMatchObject({ freight: 61_300, billedGrams: 6_000 });
  });

  test('has the surcharges of a far place and of long packages, and their days', () => {
    const far: Parcel = { ...light, destination: '29950' };
    const long: Parcel = { ...far, packages: 2, sides: [1, 1, 1_001] };
    const price = priceParcels(demoTariff, 'otro', [long, { ...long, packages: 3, grams: 900 }, far]);
    const near = priceParcel(demoTariff, 'otro', { ...light, destination: '29000' });
    if ('reason' in price || 'reason' in near) expect.fail('There is no price.');
    const own = price.lines.filter(({ concept }) => !['flete', 'combustible', 'iva'].includes(concept));
    expect(own.map((line) => [line.concept, describeLine(line, price.zone, 6), line.amount])).toEqual([
      ['zona extendida', '120.00', 12_000],
      ['pieza larga', '90.00 × 5', 45_000],
    ]);
    expect([near, price].map(({ minDays, maxDays }) => [minDays, maxDays])).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  test.for([
    [{ fixed: 4_500 }, '45.00'],
    [
      { fixed: 4_500, percentage: 150, base: 20_000, minimum: 2_500 },
      '45.00 y 1.5 % de 200.00, minimo 25.00',
    ],
    [{ minimum: 2_500 }, 'minimo 25.00'],
  ] as const)('has a surcharge with %j, which is described as %s', ([own, text]) => {
    const line = { concept: 'manejo', amount: 1, percentage: 0, base: 0, minimum: 0, fixed: 0, count: 1 };
    expect(describeLine({ ...line, ...own }, '3', 1)).toBe(text);
  });

  test('is that of the own type where the list has one, and else that of every type', () => {
    const of = { list: 'publica', service: 'Domicilio', type: 'Sobre', zone: '3' } as const;
    const own = { ...of, breaks: [{ upToGrams: 30_000, price: 9_900, line: 2 }] };
    const key = priceKey(of.list, of.service, of.type, of.zone);
    const tariff = { ...demoTariff, prices: new Map([...demoTariff.prices, [key, own]]) };
    const freightOf = (type: string) => priceOf('otro', { ...light, type }, tariff)?.freight;
    expect(['Sobre', 'Caja', ''].map(freightOf)).toEqual([9_900, 16_300, 16_300]);
  });

  test.for<[string, Partial<Parcel>, string | undefined, Partial<Tariff>?]>([
    ['is there where the tariff has no border', {}, undefined, { areas: new Map() }],
    [
      'is there up to and with the greatest weight and side',
      { grams: 70_000, sides: [1, 1, 1_500] },
      undefined,
    ],
    [
      'lacks, a gram beyond',
      { grams: 70_001 },
      'el paquete pesa 71 kg, real o volumetrico, y el maximo es 70 kg',
    ],
    [
      'lacks, a millimetre beyond',
      { sides: [1, 1, 1_501] },
      'el lado mayor mide 150.1 cm y el maximo es 150 cm',
    ],
    ['lacks from a place without a zone', { origin: '00000' }, 'el codigo postal 00000 no tiene zona'],
    ['lacks to a place without a zone', { destination: '00001' }, 'el codigo postal 00001 no tiene zona'],
    [
      'lacks where the list has none',
      {},
      'no hay precio de Domicilio en la zona 3, lista publica',
      { prices: new Map() },
    ],
  ])('%s', ([, change, why, other]) => {
    const price = priceParcel({ ...demoTariff, ...other }, 'otro', { ...light, ...change });
    expect('reason' in price ? describeNoPrice(price) : undefined).toBe(why);
  });

  test('lacks at the end that has no zone, which is the field at fault', () => {
    const lacking = (change: Partial<Parcel>) => priceParcel(demoTariff, 'otro', { ...light, ...change });
    expect(lacking({ origin: '00000' })).toMatchObject({ end: 'origin' });
    expect(lacking({ destination: '00001' })).toMatchObject({ end: 'destination' });
  });

  test('has percentages as exact as rational numbers, rounded half up', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 100_000_000_000 }),
        fc.integer({ min: 0, max: 10_000 }),
        (amount, percentage) => {
          const doubled = 2n * BigInt(amount) * BigInt(percentage);
          expect(BigInt(percentOf(amount, percentage))).toBe((doubled + 10_000n) / 20_000n);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test.each([
    [30.1, 10, 301],
    [2.5, 1_000, 2_500],
    [0.0001, 1_000, 1],
    [4.9e-7, 1_000, 1],
    [0, 1_000, 0],
    [1.0001, 1_000, 1_001],
    [19.99, 10, 200],
  ])('%f times %i is %i, rounded up', (value, unit, expected) => expect(toUnits(value, unit)).toBe(expected));
});

test('the group of every postal code is that of a linear scan', () => {
  const { ranges } = demoTariff.groups;
  for (let code = 0; code < 100_000; code++) {
    const text = `${code}`.padStart(5, '0');
    const found = ranges.find(({ from, to }) => Number(from) <= code && code <= Number(to));
    if (demoTariff.groups.nameOf(text) !== found?.name)
      expect.fail(`${text}: ${demoTariff.groups.nameOf(text)}`);
  }
});

describe('the days of delivery', () => {
  const quick = { minDays: 1, maxDays: 2 };

  test.each([
    ['before the cutoff', '2026-11-24', 16 * 60 + 59, '2026-11-24', '2026-11-25', '2026-11-26'],
    ['at the cutoff', '2026-11-24', 17 * 60, '2026-11-25', '2026-11-26', '2026-11-27'],
    ['on a Saturday evening', '2026-11-28', 17 * 60, '2026-11-30', '2026-12-01', '2026-12-02'],
    ['on Christmas', '2026-12-25', 9 * 60, '2026-12-26', '2026-12-28', '2026-12-29'],
    ['before New Year', '2026-12-31', 18 * 60, '2027-01-02', '2027-01-04', '2027-01-05'],
  ])('%s', (_when, date, minute, received, from, to) => {
    expect(deliveryDays(demoTariff, { date, minute }, quick)).toEqual({ received, from, to });
  });

  test('are as many working days later as the route and the surcharges say, walked day by day', () => {
    const works = (date: string, saturday: boolean) =>
      !demoTariff.holidays.has(date) &&
      !['Sun', ...(saturday ? [] : ['Sat'])].includes(
        new Date(`${date}T12:00:00Z`).toUTCString().slice(0, 3),
      );
    fc.assert(
      fc.property(
        fc.nat(500),
        fc.nat(1_439),
        fc.nat(20),
        fc.nat(20),
        fc.boolean(),
        (day, minute, min, more, saturday) => {
          const tariff = { ...demoTariff, parameters: { ...demoTariff.parameters, saturday } };
          const now = { date: addDays('2026-11-01', day), minute };
          const { received, from, to } = deliveryDays(tariff, now, { minDays: min, maxDays: min + more });
          expect(works(received, saturday)).toBe(true);
          const passed: string[] = [];
          for (let date = received; date < to; ) {
            date = addDays(date, 1);
            if (works(date, saturday)) passed.push(date);
          }
          expect([passed.length, min === 0 ? received : passed[min - 1]]).toEqual([min + more, from]);
        },
      ),
    );
  });
});

test('every range that shares a code with a wider one before it is told', () => {
  const range = (from: string, to: string, line: number) => ({ from, to, line, name: `${line}` });
  const wide = range('01000', '09999', 2);
  const [first, second] = [range('02000', '02999', 3), range('04000', '04999', 4)];
  expect(new PostalRanges([wide, first, second]).overlaps()).toEqual([
    [first, wide],
    [second, wide],
  ]);
});
