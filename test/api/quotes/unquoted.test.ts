import { describe, expect } from 'vitest';
import { GUIDES } from '#shared/guides/guide-model.ts';
import { modelOf } from '#shared/stores/collection.ts';
import { minimalGuide } from '#test/fixtures/client.ts';
import { test as services } from '#test/fixtures/services.ts';
import { loadTariff } from '#test/fixtures/tariffs.ts';
import { demoFolder } from './tariffs/demo-tariff.ts';

/** Guides without a quote: what they cost, for the bill, and by the setting of their account. */

const MEASURES = { Peso: 2.5, Largo: 30, Alto: 20, Ancho: 15 };
const GOODS = { Contenido: 'Libros', ValorDeclarado: 1500, ...MEASURES };

/** A guide that costs 194.30 by the demo tariff, with parts replaced. */
function guide(Producto: object = {}, destination: Record<string, unknown> = { CodigoPostal: '64000' }) {
  return { ...minimalGuide(destination), Producto: { ...GOODS, ...Producto } };
}

const test = services.extend('stored', ({ stores }) => async (created: unknown) => {
  const numbers = (created as { SEND_GUIA: string }[]).map(({ SEND_GUIA }) => SEND_GUIA);
  const found = await modelOf(stores.mongo, GUIDES)
    .find({ _id: { $in: numbers } })
    .sort({ _id: 1 })
    .lean();
  return numbers.map((number) => found.find(({ _id }) => _id === number));
});

describe('what a guide without a quote costs', () => {
  test('is kept for the bill, and not told', async ({ demo, stored }) => {
    const created = await demo.created(guide());
    expect(created).toMatchObject([{ SEND_FLETE: 0, SEND_TOTAL: 0 }]);
    const [found] = await stored(created);
    expect(found).toMatchObject({ freight: 0, total: 0, unquoted: { version: 1, total: 19_430 } });
    expect(found?.priced).toEqual({
      account: 'demo',
      parcel: {
        ...{ origin: '06600', destination: '64000', service: 'Domicilio', type: '', packages: 1 },
        ...{ grams: 2_500, sides: [150, 200, 300], declared: 150_000 },
      },
    });
    const { body } = await demo.get(`/api/guias/${created[0]?.SEND_GUIA}`);
    expect(JSON.stringify(body)).not.toMatch(/194|unquoted|Tarifa|Conceptos/);
  });

  test('is kept of every guide of a creation, or why it has none', async ({ demo, stored }) => {
    const headers = { 'idempotency-key': 'one-of-each-reason' };
    const Guia = [
      guide(),
      guide({ Peso: 0 }),
      guide({ Largo: undefined }),
      guide({ Peso: 71 }),
      guide({ Largo: 150.1 }),
      guide({}, { DestinoCode: 'MTY01' }),
    ];
    const sent = { TipoServicio: 'Domicilio', Guia };
    const { body } = await demo.post('/api/guias/crear', sent, headers);
    const found = await stored(body.data);
    expect(found.map((each) => each?.unquoted)).toEqual([
      { version: 1, total: 19_430 },
      { version: 1, noPrice: 'no-measures' },
      { version: 1, noPrice: 'no-measures' },
      { version: 1, noPrice: 'too-heavy' },
      { version: 1, noPrice: 'too-long' },
      { version: 1, total: 19_430 },
    ]);
    const parcels = found.map((each) => each?.priced?.parcel);
    expect(parcels[1]).not.toHaveProperty('grams');
    expect(parcels[1]).toMatchObject({ sides: [150, 200, 300] });
    expect(parcels[2]).not.toHaveProperty('sides');
    expect(parcels[2]).toMatchObject({ grams: 2_500 });

    const again = await demo.post('/api/guias/crear', sent, headers);
    expect(again.body.data).toEqual(body.data);
  });

  test('is by the tariff of its creation, whatever comes later', async ({ api, stores, demo, stored }) => {
    const before = await demo.created(guide());
    const { store, version } = await loadTariff(
      api.server,
      stores.mongo,
      new Map([...demoFolder, ['precios.csv', dearer(demoFolder.get('precios.csv'))]]),
    );
    const after = await demo.created(guide());
    await store.withdraw(version, version, 'ana');
    await expect.poll(() => api.server.tariffs.at(Date.now())?.version, { timeout: 10_000 }).toBe(1);
    const [old, dear, now] = await stored([...before, ...after, ...(await demo.created(guide()))]);
    expect([old?.unquoted, now?.unquoted]).toEqual([
      { version: 1, total: 19_430 },
      { version: 1, total: 19_430 },
    ]);
    expect(dear?.unquoted).toEqual({ version, total: expect.toSatisfy((total) => total > 19_430) });
  });
});

function dearer(prices: Buffer | undefined): Buffer {
  const text = String(prices).replace(/,(\d+)\.00/g, (_, pesos) => `,${Number(pesos) * 2}.00`);
  return Buffer.from(text);
}
