import { expect } from 'vitest';
import { BRANCHES } from '#local/demo-data.ts';
import { anonymiseSection } from '#services/api/guides/anonymise-guides.ts';
import type { Branch } from '#shared/branches/branch.ts';
import { BranchStore, type Coverage } from '#shared/branches/branch-store.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import { type Client, type CreatedGuide, minimalGuide } from '#test/fixtures/client.ts';
import { manifestOf } from '#test/fixtures/manifests.ts';
import { test as services } from '#test/fixtures/services.ts';

/** The route of a guide's postal code, and where a parcel is picked up, as they were at the guide's creation. */

type Routed = CreatedGuide & { Ruta?: string };
const HOURS = 'Lunes a viernes de 9:00 a 18:00';
const ROUTED: Coverage[] = [
  { postalCode: '06600', code: 'MEX01', route: 'R-12' },
  { postalCode: '06601', code: 'MEX01' },
  { postalCode: '64000', code: 'MTY01', route: 'N-3' },
];

const test = services
  .extend('store', { scope: 'file' }, ({ stores }) => new BranchStore(stores.mongo))
  .extend('guides', { scope: 'file' }, ({ stores }) => stores.mongo.collection<GuideDocument>('guides'))
  /** Loads coverage, and waits until the api knows it. */
  .extend('load', { scope: 'file' }, ({ store, demo }) => async (coverage: Coverage[]) => {
    await store.loadCoverage(coverage);
    const { postalCode, route } = coverage[0] as Coverage;
    await untilKnown(demo, postalCode, { Ruta: route });
  })
  .extend('loaded', { auto: true }, async ({ load, store, demo }) => {
    await store.loadBranches(withHours(HOURS));
    await load(ROUTED);
    await untilKnown(demo, '64000', { Ruta: 'N-3', Sucursal: { Horario: HOURS } });
  });

function withHours(Horario: string): Branch[] {
  return BRANCHES.map((branch) => (branch.Codigo === 'MTY01' ? { ...branch, Horario } : branch));
}

async function untilKnown(client: Client, postalCode: string, answer: object): Promise<void> {
  const known = async () => (await client.get(`/api/sucursales/cobertura/${postalCode}`)).body.data;
  await expect.poll(known).toMatchObject(answer);
}

const to = (recipient: object) => {
  const guide = minimalGuide();
  return { ...guide, Destinatario: { Nombre: 'Luis', ...recipient } };
};

test.for<[string, object, string | undefined]>([
  ['a postal code with a route', { CodigoPostal: '06600' }, 'R-12'],
  ['a postal code without one', { CodigoPostal: '06601' }, undefined],
  ['a branch alone', { DestinoCode: 'MEX01' }, undefined],
  ['a branch, and a postal code that it covers', { DestinoCode: ' mex01', CodigoPostal: '06600' }, 'R-12'],
  ['a branch, and a postal code of another', { DestinoCode: 'MEX01', CodigoPostal: '64000' }, undefined],
  ['a branch, and a postal code of none', { DestinoCode: 'MEX01', CodigoPostal: '99999' }, undefined],
])('a guide to %s', async ([_, recipient, route], { demo }) => {
  const [created] = (await demo.created(to(recipient))) as Routed[];
  const read = await demo.get(`/api/guias/${created?.SEND_GUIA}`);
  const { data: list } = (await demo.get('/api/guias')).body as { data: Routed[] };
  const listed = list.find(({ SEND_GUIA }) => SEND_GUIA === created?.SEND_GUIA);
  for (const guide of [created, read.body.data as Routed, listed]) {
    expect(guide?.SEND_GUIA).toBe(created?.SEND_GUIA);
    expect(guide?.Ruta).toBe(route);
    expect('Ruta' in (guide ?? {})).toBe(route !== undefined);
  }
});

test('500 guides have the routes of 500 postal codes beside their branch', async ({ demo, load }) => {
  const coverage = Array.from({ length: 500 }, (_, i) => ({
    postalCode: String(20_000 + 7 * i),
    code: 'GDL01',
    route: `T-${i}`,
  }));
  await load(coverage);
  const guides = coverage.map(({ postalCode }) => to({ DestinoCode: 'GDL01', CodigoPostal: postalCode }));
  const created = (await demo.created(...guides)) as Routed[];
  expect(created.map(({ Ruta }) => Ruta)).toEqual(coverage.map(({ route }) => route));
});

test('a guide keeps its route when a load changes it, and its creation is answered as before', async ({
  demo,
  load,
}) => {
  const create = () =>
    demo.post(
      '/api/guias/crear',
      { TipoServicio: 'Domicilio', Guia: [to({ CodigoPostal: '06600' })] },
      { 'idempotency-key': 'route' },
    );
  const first = await create();
  const [guide] = first.body.data as Routed[];
  await load([{ postalCode: '06600', code: 'MEX01', route: 'R-99' }]);
  expect((await create()).body).toEqual(first.body);
  expect((await demo.get(`/api/guias/${guide?.SEND_GUIA}`)).body.data).toMatchObject({ Ruta: 'R-12' });
  const [later] = (await demo.created(to({ CodigoPostal: '06600' }))) as Routed[];
  expect(later?.Ruta).toBe('R-99');
});

test('a manifest says the route of each guide that has one', async ({ demo }) => {
  const created = await demo.created(to({ CodigoPostal: '06600' }), to({ CodigoPostal: '06601' }));
  const Guias = created.map(({ SEND_GUIA }) => SEND_GUIA);
  const made = manifestOf(await demo.post('/api/manifiestos', { Guias }));
  expect(made.Detalle.map((row) => 'Ruta' in row)).toEqual([false, false]);
  const read = manifestOf(await demo.get(`/api/manifiestos/${made.Manifiesto}`));
  expect(read.Detalle).toMatchObject([{ Ruta: 'R-12' }, {}]);
  expect(Object.keys(read.Detalle[1] ?? {})).not.toContain('Ruta');
});

test('a guide that is picked up has the branch as it was', async ({ demo, guides, store }) => {
  const { body } = await demo.create(
    [to({ CodigoPostal: '64000' }), to({ DestinoCode: 'GDL01' })],
    'the service',
  );
  const numbers = (body.data as Routed[]).map(({ SEND_GUIA }) => SEND_GUIA);
  const places = async () => {
    const found = await guides.find({ _id: { $in: numbers } }).toArray();
    return numbers.map((number) => found.find(({ _id }) => _id === number)?.pickUp);
  };
  const of = (code: string) => {
    const branch = BRANCHES.find(({ Codigo }) => Codigo === code);
    const { Codigo, Nombre, Origen, Destino, Activa, CobraHasta, ...place } = branch as Branch;
    return place;
  };
  const before = await places();
  expect(before).toEqual([{ ...of('MTY01'), Horario: HOURS }, of('GDL01')]);
  await store.loadBranches(withHours('Sábados'));
  expect(await places()).toEqual(before);
  const [atHome] = await demo.created(to({ CodigoPostal: '64000' }));
  expect(await guides.findOne({ _id: atHome?.SEND_GUIA ?? '' })).not.toHaveProperty('pickUp');
  expect((body.data as Routed[]).map((guide) => 'Ruta' in guide)).toEqual([false, false]);
  expect((atHome as Routed).Ruta).toBe('N-3');
});

test('retention takes the route with the postal code, and leaves the branch', async ({
  demo,
  guides,
  stores,
}) => {
  const [atHome] = await demo.created(to({ CodigoPostal: '64000' }));
  const { body } = await demo.create([to({ CodigoPostal: '64000' })], 'the service');
  const [pickedUp] = body.data as Routed[];
  const numbers = [atHome, pickedUp].map((guide) => guide?.SEND_GUIA ?? '');
  await anonymiseSection(stores.mongo, numbers, 'Destinatario');
  const [routed, placed] = await Promise.all(numbers.map((_id) => guides.findOne({ _id })));
  expect(routed).toMatchObject({ destination: { code: 'MTY01' } });
  expect(routed).not.toHaveProperty('route');
  expect(placed).toMatchObject({ pickUp: { Horario: HOURS } });
});
