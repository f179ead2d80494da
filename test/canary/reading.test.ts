import { expect } from 'vitest';
import { findMistake, lettersIn } from '#services/canary/reading/label-check.ts';
import { type Reader, startReader } from '#services/canary/reading/reader.ts';
import { Rasterizer } from '#services/label-worker/images/rasterizer.ts';
import { LABEL_KINDS, type LabelKind } from '#shared/labels/label-kinds.ts';
import { IMAGE_FORMATS } from '#shared/labels/label-payload.ts';
import { test as printing } from '#test/fixtures/labels/label-printing.ts';
import { label } from '#test/fixtures/labels/labels.ts';

const NUMBER = '482913650724';
const recipient = { Nombre: 'Zoraida Ñúñez', Calle: 'Calzada Güeñá' };
const onLabel = (kind: LabelKind) => ({
  number: NUMBER,
  code: kind === 'letter' ? NUMBER : `${NUMBER}-01`,
  name: recipient.Nombre,
  street: recipient.Calle,
});

const test = printing
  .extend('reader', { scope: 'file' }, (): Promise<Reader> => startReader())
  /** A label of each kind. */
  .extend('prints', { scope: 'file' }, async ({ printer }) => {
    const printed = LABEL_KINDS.map(async (kind) => [kind, await printer.print(label({ kind, recipient }))]);
    return Object.fromEntries(await Promise.all(printed)) as Record<LabelKind, Uint8Array>;
  })
  .extend('rasterizer', { scope: 'file' }, ({}, { onCleanup }) => {
    const rasterizer = new Rasterizer({ timeoutMs: 20_000 });
    onCleanup(() => rasterizer.close());
    return rasterizer;
  })
  /** Prints a page of HTML. */
  .extend('pageOf', { scope: 'file' }, ({ browser }) => async (html: string) => {
    const page = await browser.newPage();
    await page.setContent(html);
    return page.pdf({ width: '100mm', height: '100mm', printBackground: true });
  });

test.for(LABEL_KINDS)(
  'a %s label says whose it is, in each format',
  async (kind, { reader, prints, rasterizer }) => {
    const read = await reader.pdf(prints[kind]);
    expect(findMistake(read, onLabel(kind))).toBeUndefined();
    for (const format of IMAGE_FORMATS)
      for (const dpi of [203, 300] as const) {
        const order = { place: 1, key: 'key', askedAt: performance.now() };
        const picture = await rasterizer.rasterize(prints[kind], 1, { format, dpi }, order);
        expect([format, dpi, findMistake(await reader[format](picture), onLabel(kind))]).toEqual([
          format,
          dpi,
          undefined,
        ]);
      }
  },
);

test("another guide's label is told, and one without a line", async ({ reader, prints }) => {
  const read = await reader.pdf(prints.small);
  const right = onLabel('small');
  const of = (changes: object, reading = read) => findMistake(reading, { ...right, ...changes });
  expect(of({ number: '000000000000', code: '000000000000-01' })).toBe('el código de barras es de otra guía');
  expect(of({ number: '000000000000' })).toBe('el QR es de otra guía');
  expect(of({ street: 'Calzada Otra' })).toBe('no dice la calle');
  expect(of({ name: 'Otra', street: 'Otra' })).toBe('no dice el nombre, la calle');
  expect(of({}, { ...read, text: '' })).toBe('sale en blanco');
  expect(of({}, { ...read, codes: read.codes.filter(({ format }) => format !== 'Code128') })).toBe(
    'el código de barras no se lee',
  );
  expect(of({}, { ...read, codes: read.codes.filter(({ format }) => format !== 'QRCode') })).toBe(
    'el QR no se lee',
  );
});

test('text that nobody sees is not read', async ({ reader, pageOf }) => {
  const hidden = [
    'color: #fff',
    'opacity: 0',
    'visibility: hidden',
    'background: #000; color: #000',
    'position: absolute; left: -50mm',
  ];
  const lines = hidden.map((style, i) => `<p><span style="${style}">Hidden${i}</span></p>`).join('');
  const covered =
    '<p style="position: relative">Covered<b style="position: absolute; inset: 0; background: #000"></b></p>';
  const white = '<p style="background: #000; color: #fff">White</p>';
  const pdf = await pageOf(`<body style="font: 14px sans-serif">${lines}${covered}${white}<p>Seen ñ</p>`);
  const { text = '' } = await reader.pdf(pdf);
  expect(lettersIn(text)).toBe('whiteseenñ');
});

test('a module that trapped is replaced by a new one', async () => {
  let loaded = 0;
  const reader = await startReader(async () => {
    const isFirst = ++loaded === 1;
    const read = async () => {
      if (isFirst) throw Object.assign(new Error('unreachable'), { name: 'RuntimeError' });
      return { codes: [] };
    };
    return { pdf: read, png: read, zpl: read };
  });
  await expect(reader.pdf(Buffer.from(''))).rejects.toThrow('unreachable');
  expect(await reader.png(Buffer.from(''))).toEqual({ codes: [] });
  expect(loaded).toBe(2);
});

test('a damaged file is not read', async ({ reader, prints, rasterizer }) => {
  const order = { place: 1, key: 'key', askedAt: performance.now() };
  const zpl = Buffer.from(await rasterizer.rasterize(prints.small, 1, { format: 'zpl', dpi: 203 }, order));
  const half = (file: Uint8Array) => file.subarray(0, file.length / 2);
  await expect(reader.pdf(half(prints.small))).rejects.toThrow();
  await expect(reader.pdf(Buffer.from('{}'))).rejects.toThrow();
  await expect(reader.zpl(half(zpl))).rejects.toThrow();
  const swapped = Buffer.from(zpl);
  const at = zpl.indexOf(':Z64:') + 400;
  zpl.copy(swapped, at, at + 200, at + 400);
  await expect(reader.zpl(swapped)).rejects.toThrow();
});
