import { expect, vi } from 'vitest';
import { stampOf } from '#services/branches/branch-cache.ts';
import { BranchStore } from '#shared/branches/branch-store.ts';
import { Client } from '#test/fixtures/client.ts';
import { test as services } from '#test/fixtures/services.ts';

/** `GET /api/sucursales/cobertura`: all covered postal codes at once. */

const test = services.extend('store', { scope: 'file' }, ({ stores }) => new BranchStore(stores.mongo));

const PATH = '/api/sucursales/cobertura';
/** Generous: a load is visible within a second on an idle machine. */
const VISIBLE = { timeout: 30_000, interval: 50 };
const codes = (code: string, ...postalCodes: string[]) =>
  postalCodes.map((postalCode) => ({ postalCode, code }));
const range = (Desde: string, Hasta: string, Sucursal: string) => ({ Desde, Hasta, Sucursal });

test('has ranges of successive codes that guides may be sent to, and no other code', async ({
  demo,
  store,
}) => {
  const { etag: before } = Object.fromEntries((await demo.get(PATH)).headers);
  await store.loadCoverage([
    ...codes('MTY01', '09999', '10000', '64001'),
    ...codes('MEX01', '06600', '06602', '06601', '06604'),
    ...codes('GDL01', '06603'),
    ...codes('TIJ01', '22000'), // takes no parcels
    ...codes('CUN01', '77500'), // is closed
    ...codes('XXX01', '88000'), // does not exist
  ]);
  const data = [
    range('06600', '06602', 'MEX01'),
    range('06603', '06603', 'GDL01'),
    range('06604', '06604', 'MEX01'),
    range('09999', '10000', 'MTY01'),
    range('64001', '64001', 'MTY01'),
  ];
  await vi.waitFor(async () => expect((await demo.get(PATH)).body.data).toEqual(data), VISIBLE);
  const { status, headers, body } = await demo.get(PATH);
  expect([status, body.response, body.message]).toEqual([200, 'OK', 'Rangos: 5']);
  expect(headers.get('etag')).not.toBe(before);
});

test('says the route of a postal code, which ends a range where it changes', async ({ demo, store }) => {
  const of = (postalCode: string, route?: string) => ({
    ...{ postalCode, code: 'MEX01' },
    ...(route && { route }),
  });
  await store.loadCoverage([
    ...[of('06600', 'R-1'), of('06601', 'R-1'), of('06602', 'R-2'), of('06603'), of('06604')],
    { postalCode: '06605', code: 'MTY01', route: 'R-2' },
  ]);
  const data = [
    { ...range('06600', '06601', 'MEX01'), Ruta: 'R-1' },
    { ...range('06602', '06602', 'MEX01'), Ruta: 'R-2' },
    range('06603', '06604', 'MEX01'),
    { ...range('06605', '06605', 'MTY01'), Ruta: 'R-2' },
  ];
  await vi.waitFor(async () => expect((await demo.get(PATH)).body.data).toEqual(data), VISIBLE);
  const { etag } = Object.fromEntries((await demo.get(PATH)).headers);
  const one = async (code: string) => (await demo.get(`${PATH}/${code}`)).body.data as object;
  await vi.waitFor(async () => expect(await one('06602')).toHaveProperty('Ruta', 'R-2'), VISIBLE);
  expect(Object.keys(await one('06602'))).toEqual(['CodigoPostal', 'Sucursal', 'Ruta']);
  expect(Object.keys(await one('06603'))).toEqual(['CodigoPostal', 'Sucursal']);
  await store.loadCoverage([of('06600', 'R-9')]);
  await vi.waitFor(async () => expect(await one('06600')).toHaveProperty('Ruta', 'R-9'), VISIBLE);
  expect((await demo.get(PATH, { 'if-none-match': etag ?? '' })).status).toBe(200);
});

test('answers 304 to whoever has it, until a load changes it', async ({ demo, store }) => {
  await store.loadCoverage(codes('MEX01', '06600'));
  const first = range('06600', '06600', 'MEX01');
  await vi.waitFor(async () => expect((await demo.get(PATH)).body.data).toEqual([first]), VISIBLE);
  const { headers } = await demo.get(PATH);
  const etag = headers.get('etag') ?? '';
  expect([etag, headers.get('cache-control')]).toEqual([
    expect.stringMatching(/^W\/"[\w-]{22}"$/),
    'private',
  ]);
  expect((await demo.get(PATH, { 'if-none-match': `"other", ${etag}` })).status).toBe(304);
  await store.loadCoverage(codes('MEX01', '06601'));
  await vi.waitFor(
    async () => expect((await demo.get(PATH, { 'if-none-match': etag })).status).toBe(200),
    VISIBLE,
  );
});

test('needs no cache', async ({ demo, startApi, store, stores }) => {
  await store.loadCoverage(codes('MEX01', '06600'));
  const stamp = stampOf(await store.directory());
  const cached = () => stores.redis.hget(`${stores.prefix}:branches`, 'version:rows');
  await vi.waitFor(async () => expect(await cached()).toBe(stamp), VISIBLE);
  await stores.redis.hdel(`${stores.prefix}:branches`, 'coverage');
  const { url } = await startApi();
  const { body } = await new Client(url, demo.token).get(PATH);
  expect(body.data).toEqual([range('06600', '06600', 'MEX01')]);
});
