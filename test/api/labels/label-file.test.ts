import { describe, expect } from 'vitest';
import { AuditStore } from '#shared/audit/audit-store.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { readZpl } from '#test/fixtures/labels/images.ts';
import { readLabel, readPages } from '#test/fixtures/labels/label-pixels.ts';
import { checkPdf } from '#test/fixtures/labels/pictures.ts';
import { printingTest } from '#test/fixtures/services.ts';

const UNKNOWN = '999999999995';

/** `numbers` are those of six guides of `demo`, `others` those of two guides of `otro`. */
const test = printingTest
  .extend('numbers', { scope: 'file' }, async ({ demo }) => numbersOf(demo, 6))
  .extend('others', { scope: 'file' }, async ({ api }) => numbersOf(await Client.login(api.url, 'otro'), 2));

async function numbersOf(client: Client, count: number, packages = 1): Promise<string[]> {
  const guide = minimalGuide();
  const Producto = { ...guide.Producto, Paquetes: packages };
  const guides = await client.created(...Array.from({ length: count }, () => ({ ...guide, Producto })));
  return guides.map(({ SEND_GUIA }) => SEND_GUIA);
}

describe('POST /api/guias/etiquetas', () => {
  test('is one PDF of letters in the order of the request', async ({ demo, numbers }) => {
    const wanted = [5, 0, 3, 0, 1, 2, 4].map((i) => numbers[i] ?? '');
    const { status, headers, bytes } = await demo.labelFile(wanted);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/pdf');
    expect(headers.get('content-disposition')).toBe('inline; filename="guias-7.pdf"');
    expect(headers.get('cache-control')).toBe('private');
    expect(headers.get('etag')).toBeNull();
    expect(headers.get('ratelimit')).toContain('"etiquetas";r=300');
    await checkPdf(bytes);
    const pages = await readLabel(bytes);
    expect(pages.map(({ code128 }) => code128)).toEqual(wanted.map((number) => [number]));
    expect(pages.map(({ qr }) => qr)).toEqual(wanted.map((number) => [`https://rastreo.example/${number}`]));
    for (const { width, height } of pages) expect([width, height]).toEqual([612, 792]);
  });

  test.for([
    ['pequena', 283.46],
    ['10x15', 425.2],
  ] as const)(
    'has labels of the kind %s with all their packages',
    async ([kind, height], { demo, numbers }) => {
      const [parts = ''] = await numbersOf(demo, 1, 3);
      const { bytes } = await demo.labelFile([numbers[0], parts, numbers[1]], kind);
      await checkPdf(bytes);
      const pages = await readLabel(bytes);
      for (const page of pages) expect(Math.abs(page.height - height)).toBeLessThan(0.6);
      const ofParts = [1, 2, 3].map((part) => `${parts}-0${part}`);
      const codes = [`${numbers[0]}-01`, ...ofParts, `${numbers[1]}-01`];
      expect(pages.flatMap(({ code128 }) => code128)).toEqual(codes);
    },
  );
});

describe('a request that cannot be printed', () => {
  test('names guides that are not there by their places', async ({ demo, numbers, others, stores }) => {
    const prints = () => stores.redis.zcard(`${stores.prefix}:labels:completed`);
    const before = await prints();
    const [fresh] = await numbersOf(demo, 1);
    const { status, body } = await demo.post('/api/guias/etiquetas', {
      Guias: [fresh, UNKNOWN, numbers[0], others[0], 'abc', ''],
      Tipo: 'carta',
    });
    const details = [1, 3, 4, 5].map((indice) => ({ indice, codigo: 'guia_no_encontrada' }));
    expect([status, body]).toMatchObject([404, { codigo: 'guia_no_encontrada', details }]);
    expect(await prints()).toBe(before);
  });

  test('says how many pages it would have', async ({ demo }) => {
    const many = await numbersOf(demo, 11, 99);
    const { status, body } = await demo.post('/api/guias/etiquetas', { Guias: many, Tipo: 'pequena' });
    expect([status, body]).toMatchObject([
      400,
      { codigo: 'paginas_excedidas', message: 'Maximo 1000 paginas por solicitud; estas guias tienen 1089' },
    ]);
    expect((await demo.labelFile(many)).status).toBe(200);
  });
});

test('a file of ZPL has the labels one after the other', async ({ demo, numbers }) => {
  const [parts = ''] = await numbersOf(demo, 1, 3);
  const wanted = [numbers[0], parts];
  const { headers, bytes } = await demo.labelFile(wanted, '10x15', '?formato=zpl&dpi=300');
  expect([headers.get('content-type'), headers.get('vary')]).toEqual(['application/zpl', 'Accept']);
  expect(headers.get('content-disposition')).toBe('inline; filename="guias-2.zpl"');
  const own = [];
  for (const number of [numbers[0], parts]) {
    own.push((await demo.pdf(`/api/guias/etiqueta-10x15/${number}?formato=zpl&dpi=300`)).bytes);
  }
  expect(bytes).toEqual(Buffer.concat(own));
  expect(readZpl(bytes)).toHaveLength(4);
});

test('guides of other accounts are printed, and recorded once', async ({ api, numbers, others, stores }) => {
  const operator = await Client.login(api.url, 'operaciones');
  const own = await operator.labelFile([...numbers, ...others, ...others]);
  const { count, pages } = await readPages(own.bytes, [6, 7]);
  expect(count).toBe(10);
  expect(pages.flatMap(({ code128 }) => code128)).toEqual([numbers[5], others[0]]);
  const trail = new AuditStore(stores.mongo);
  const found = () => trail.find({ action: 'label.read-other' }, 10);
  await expect.poll(found).toHaveLength(2);
  const events = (await found()).map(({ actor, subject, details }) => ({ actor, subject, details }));
  expect(events).toEqual(
    expect.arrayContaining([
      { actor: 'operaciones', subject: 'demo', details: { guides: numbers } },
      { actor: 'operaciones', subject: 'otro', details: { guides: others } },
    ]),
  );
});
