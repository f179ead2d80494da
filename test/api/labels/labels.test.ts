import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Queue } from 'bullmq';
import { PNG } from 'pngjs';
import { describe, expect, onTestFinished } from 'vitest';
import { LABEL_QUEUE, type LabelJob } from '#shared/printing/label-job.ts';
import { Client, fullGuide, minimalGuide } from '#test/fixtures/client.ts';
import { readLabel } from '#test/fixtures/labels/label-pixels.ts';
import { pretendPrinter, pretendWorker } from '#test/fixtures/labels/pretended-worker.ts';
import { printingTest as services } from '#test/fixtures/services.ts';

/** `number` is that of a guide with every field. */
const test = services.extend(
  'number',
  { scope: 'file' },
  async ({ demo }) => (await demo.created(fullGuide()))[0]?.SEND_GUIA ?? '',
);

describe('GET /api/guias/etiqueta/{guia}', () => {
  test('is a letter page whose codes read back', async ({ demo, number }) => {
    const { status, headers, bytes } = await demo.pdf(`/api/guias/etiqueta/${number}`);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/pdf');
    expect(headers.get('content-disposition')).toBe(`inline; filename="guia-${number}.pdf"`);
    expect(headers.get('cache-control')).toBe('private');
    const [page, ...more] = await readLabel(bytes);
    expect(more).toEqual([]);
    expect(page).toMatchObject({
      width: 612,
      height: 792,
      qr: [`https://rastreo.example/${number}`],
      code128: [number],
    });
  });

  test('answers 304 to the ETag of an unchanged label', async ({ demo, number }) => {
    const first = await demo.pdf(`/api/guias/etiqueta/${number}`);
    const etag = first.headers.get('etag') ?? '';
    // The bytes of a label may differ from print to print, so the tag is weak (RFC 9110, 8.8.1).
    expect(etag).toMatch(/^W\/"[\w-]+"$/);
    const again = await demo.pdf(`/api/guias/etiqueta/${number}`, { 'if-none-match': etag });
    expect(again.status).toBe(304);
    expect(again.bytes.length).toBe(0);
    expect((await demo.pdf(`/api/guias/etiqueta/${number}`, { 'if-none-match': '"x"' })).status).toBe(200);
  });

  test('has the ETag of its own look while the workers print different ones', async ({ demo, stores }) => {
    const [guide] = await demo.created(minimalGuide());
    const path = `/api/guias/etiqueta/${guide?.SEND_GUIA}`;
    const etag = (await demo.pdf(path)).headers.get('etag') ?? '';
    const ask = async () => {
      const { status, headers } = await demo.pdf(path, { 'if-none-match': etag });
      return { status, etag: headers.get('etag') };
    };
    expect(await ask()).toEqual({ status: 304, etag });
    // The newest worker has another template, and prints nothing: it is the old one that prints.
    const leave = await pretendWorker(stores, { templates: { letter: 'next' } });
    await expect.poll(ask).toEqual({ status: 200, etag });
    expect(await stores.cache.keys(`${stores.prefix}:label:*-next`)).toEqual([]);
    await leave();
    await expect.poll(ask).toEqual({ status: 304, etag });
  });

  test('prints a label once when it is requested many times at once', async ({ demo, stores }) => {
    const [guide] = await demo.created(minimalGuide());
    const path = `/api/guias/etiqueta/${guide?.SEND_GUIA}`;
    const prints = () => stores.redis.zcard(`${stores.prefix}:labels:completed`);
    const before = await prints();
    const answers = await Promise.all(Array.from({ length: 200 }, () => demo.pdf(path)));
    for (const { status, bytes } of answers) {
      expect(status).toBe(200);
      expect(bytes.equals(answers[0]?.bytes ?? Buffer.of())).toBe(true);
    }
    // Its job completes a moment after the label is stored.
    await expect.poll(async () => (await prints()) - before).toBe(1);
  });

  test('shows a correction made in the database at once', async ({ demo, stores }) => {
    const [guide] = await demo.created(minimalGuide());
    const path = `/api/guias/etiqueta/${guide?.SEND_GUIA}`;
    const before = await demo.pdf(path);
    await stores.mongo
      .collection<{ _id: string }>('guides')
      .updateOne({ _id: guide?.SEND_GUIA ?? '' }, { $set: { 'guide.Destinatario.Nombre': 'Eduviges' } });
    const after = await demo.pdf(path);
    expect((await readLabel(after.bytes))[0]?.text).toContain('Eduviges');
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
  });
});

describe.each([
  { route: 'etiqueta-pequena', size: '10x10' },
  { route: 'etiqueta-10x15', size: '10x15' },
])('GET /api/guias/$route/{guia}', ({ route, size }) => {
  /** A guide of three packages. */
  const threePackages = async (client: Client) => {
    const guide = minimalGuide();
    const [created] = await client.created({
      ...guide,
      Producto: { ...guide.Producto, Paquetes: 3 },
      Referencia: 'PEDIDO-7',
    });
    return `/api/guias/${route}/${created?.SEND_GUIA}`;
  };

  test.for<[string, string[]]>([
    ['', ['1/3', '2/3', '3/3']],
    ['?paquetes=2', ['1/2', '2/2']],
    ['?paquete=2', ['2/3']],
    ['?paquete=4&paquetes=5', ['4/5']],
  ])('of a guide of three packages, %s prints %s', async ([query, printed], { demo }) => {
    const path = await threePackages(demo);
    const { bytes, headers } = await demo.pdf(path + query);
    expect(headers.get('content-disposition')).toMatch(
      RegExp(`^inline; filename="guia-\\d{12}-${size}.pdf"$`),
    );
    const pages = await readLabel(bytes);
    expect(pages.map(({ text }) => /(?<![\d/])\d+\/\d+(?![\d/])/.exec(text)?.[0])).toEqual(printed);
    for (const [index, { text, code128 }] of pages.entries()) {
      const position = Number.parseInt(printed[index] ?? '', 10);
      expect(code128).toEqual([`${path.split('/').at(-1)}-0${position}`]);
      expect(text).toContain('Referencia: PEDIDO-7');
    }
    const etags = await Promise.all(
      ['', '?paquete=1'].map(async (other) => (await demo.pdf(path + other)).headers.get('etag')),
    );
    expect([...new Set([...etags, headers.get('etag')])]).toHaveLength(query ? 3 : 2);
  });
});

describe('the logo of the configuration', () => {
  test('is on the label, and changes its ETag', async ({ demo, folder, number, startApi }) => {
    const logo = join(folder, 'logo.png');
    const picture = new PNG({ width: 40, height: 20 });
    picture.data.fill(255);
    for (let pixel = 0; pixel < 400; pixel++) picture.data.fill(0, 4 * pixel, 4 * pixel + 3);
    await writeFile(logo, PNG.sync.write(picture));
    const other = await startApi({ CARRIER_LOGO: logo });
    const path = `/api/guias/etiqueta/${number}`;
    const [plain, withLogo] = [await demo.pdf(path), await new Client(other.url, demo.token).pdf(path)];
    const pictures = (pdf: Buffer) => execFileSync('pdfimages', ['-list', '-'], { input: pdf }).toString();
    expect(pictures(withLogo.bytes)).toMatch(/ 40 +20 /);
    expect(pictures(plain.bytes)).not.toMatch(/ 40 +20 /);
    expect(withLogo.headers.get('etag')).not.toBe(plain.headers.get('etag'));
  });
});

/** A prefix of Redis where no label worker looks. */
const besides = (prefix: string) => prefix.replace('}', '-unprinted}');

describe('a label that is stored', () => {
  test.for([
    ['as soon as the worker tells', false],
    ['also where that was lost with the connection of those who wait', true],
  ] as const)('is answered %s', async ([_, isLost], { startApi, stores }) => {
    const prefix = besides(stores.prefix);
    const user = stores.prefix.slice(1, -1);
    const lose = () => stores.cache.call('CLIENT', 'KILL', 'TYPE', 'pubsub', 'USER', `${user}-api`);
    const own = { redis: stores.redis, cache: stores.cache, prefix };
    // Longer than the client waits: at its deadline the api looks for the bytes anyway.
    const other = await startApi({ REDIS_PREFIX: prefix }, { label: 30_000 });
    const print = async () => {
      if (isLost) await lose();
      return Buffer.from('%PDF-1.4 x');
    };
    onTestFinished(await pretendPrinter(own, print));
    const client = await Client.login(other.url);
    const [guide] = await client.created(minimalGuide());
    const { bytes } = await client.pdf(`/api/guias/etiqueta/${guide?.SEND_GUIA}`);
    expect(bytes.toString()).toBe('%PDF-1.4 x');
  });

  test('is answered at the time limit, where no news of it came', async ({ startApi, stores }) => {
    const REDIS_PREFIX = stores.prefix.replace('}', '-untold}');
    onTestFinished(await pretendWorker({ redis: stores.redis, prefix: REDIS_PREFIX }));
    const queue = new Queue<LabelJob>(LABEL_QUEUE, { connection: stores.redis, prefix: REDIS_PREFIX });
    onTestFinished(() => queue.close());
    const other = await startApi({ REDIS_PREFIX }, { label: 4_000 });
    const client = await Client.login(other.url);
    const [guide] = await client.created(minimalGuide());
    const answer = client.pdf(`/api/guias/etiqueta/${guide?.SEND_GUIA}`);
    await expect.poll(() => queue.getPrioritizedCount()).toBe(1);
    const [job] = await queue.getJobs(['prioritized']);
    await stores.cache.set(`${REDIS_PREFIX}:label:${job?.data.key}`, '%PDF-1.4');
    expect((await answer).bytes.toString()).toBe('%PDF-1.4');
  });
});
