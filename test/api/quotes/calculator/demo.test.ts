import { expect, test } from 'vitest';
import { BRANCHES, COVERAGE, nationalCoverage } from '#local/demo-data.ts';
import { exampleOf, readForm } from '#services/api/quotes/calculator/form.ts';
import { priceParcel } from '#services/api/quotes/tariffs/price.ts';
import { demoTariff } from '../tariffs/demo-tariff.ts';

/** Visitors of the demo try the quote page with postal codes of their own. */

const covering = new Map(nationalCoverage().map(({ postalCode, code }) => [postalCode, code]));
const destinations = new Set(
  BRANCHES.filter(({ Activa, Destino }) => Activa && Destino).map(({ Codigo }) => Codigo),
);
const [example] = demoTariff.examples.filter(({ account }) => account === '');

test('the demo delivers to every postal code that its tariff knows but three, and has a price between all zones', () => {
  const refused: string[] = [];
  for (const { from, to } of demoTariff.groups.ranges) {
    for (let code = Number(from); code <= Number(to); code++) {
      const postalCode = String(code).padStart(5, '0');
      if (!destinations.has(covering.get(postalCode) ?? '')) refused.push(postalCode);
    }
  }
  expect(refused).toEqual(['22000', '77500', '99999']);
  for (const { from: origin } of demoTariff.groups.ranges) {
    for (const { to: destination } of demoTariff.groups.ranges) {
      for (const service of ['Domicilio', 'the service'] as const) {
        const parcel = { ...example?.parcel, origin, destination, service } as never;
        expect(priceParcel(demoTariff, '', parcel)).toHaveProperty('total');
      }
    }
  }
});

test('the branches of the demo cover their own postal codes', () => {
  for (const { postalCode, code } of COVERAGE) expect(covering.get(postalCode)).toBe(code);
});

test('the form is filled in with the first example of the public list', () => {
  const query = exampleOf(demoTariff) ?? '';
  expect(query).toBe('origen=06600&destino=64000&peso=2.5&largo=30&alto=20&ancho=15&valor=1500');
  expect(readForm(Object.fromEntries(new URLSearchParams(query))).inquiry).toEqual({
    ...{ origin: '06600', destination: '64000' },
    goods: { Peso: 2.5, Largo: 30, Alto: 20, Ancho: 15, ValorDeclarado: 1500 },
  });
  const others = demoTariff.examples.filter(({ account }) => account !== '');
  const fromBranch = others.map((one) => ({
    ...one,
    account: '',
    parcel: { ...one.parcel, origin: 'MEX01' },
  }));
  const collected = demoTariff.examples.map((one) => ({ ...one, parcel: { ...one.parcel, cod: 100 } }));
  expect(exampleOf({ examples: [...others, ...fromBranch, ...collected] })).toBeNull();
});
