import { createRequire } from 'node:module';
import { PNG } from 'pngjs';
import { describe, expect } from 'vitest';
import type { Rect, Shape } from '#services/label-worker/drawing.ts';
import { Rasterizer } from '#services/label-worker/images/rasterizer.ts';
import { renderLabel } from '#services/label-worker/label/render-label.ts';
import { sample } from '#services/label-worker/label/template-files/sample-labels.ts';
import { LABEL_KINDS } from '#shared/labels/label-kinds.ts';
import { DENSITIES, type ImageFormat } from '#shared/labels/label-payload.ts';
import { readPng, readZpl } from '#test/fixtures/labels/images.ts';
import { test as printing } from '#test/fixtures/labels/label-printing.ts';
import { codesOf, HEAD_DPI, type Picture, pagesOf, scaled } from '#test/fixtures/labels/pictures.ts';
import { randomLabel, seeded } from '#test/fixtures/labels/random-labels.ts';

/** PNG and ZPL of labels: the picture of the PDF, dot for dot. */

/** Zebrash, a renderer of ZPL, in WebAssembly; its other build has no source map, of which Vite complains. */
const { zplToBase64MultipleAsync }: typeof import('zpl-renderer-js') = createRequire(import.meta.url)(
  'zpl-renderer-js',
);

const order = { place: 1, key: 'key', askedAt: performance.now() };
const test = printing.extend('images', { scope: 'file' }, async ({}, { onCleanup }) => {
  const images = new Rasterizer({ timeoutMs: 20_000 });
  onCleanup(() => images.close());
  return {
    async draw(pdf: Uint8Array, format: ImageFormat, pages = 1): Promise<Buffer> {
      return Buffer.from(await images.rasterize(pdf, pages, format, order));
    },
  };
});

/** Of the pages, in dots. */
const SIZES = {
  letter: { 203: [1728, 2236], 300: [2550, 3300] },
  medium: { 203: [799, 1200], 300: [1179, 1771] },
  small: { 203: [799, 799], 300: [1179, 1179] },
} as const;
const DOTS_PER_METRE = { 203: 8_000, 300: 11_811 };

/** Where the codes of a letter are: reading a whole page takes some seconds. */
function lowerHalf({ width, height, pixels }: Picture): Picture {
  const half = Math.round(0.4 * height);
  return { width, height: height - half, pixels: pixels.subarray(half * width) };
}

/** Share of the dots that no dot beside them is like in another picture: renderers draw the edges of letters otherwise. */
function difference(one: Picture, { width, height, pixels }: Picture): number {
  let different = 0;
  for (const [i, level] of one.pixels.entries()) {
    const [x, y] = [i % one.width, Math.floor(i / one.width)];
    if (pixels[y * width + x] === level) continue;
    const beside = [-1, 0, 1].flatMap((dy) =>
      [-1, 0, 1].map(
        (dx) => pixels[Math.min(y + dy, height - 1) * width + Math.min(x + dx, width - 1)] ?? 255,
      ),
    );
    if (beside.every((other) => Math.abs(other - level) > 128)) different++;
  }
  return different / one.pixels.length;
}

/** The dots of a rectangle, of a picture whose dots are those of the label. */
const dotsOf = ({ width, pixels }: Picture, [x, y, w, h]: Rect) =>
  Array.from({ length: h }, (_, row) => [
    ...pixels.subarray((y + row) * width + x, (y + row) * width + x + w),
  ]);

/** What is drawn in whole dots on a label's first page: its rules, and each code with all that is around its bars. */
const boundsOf = (shape: Shape): Rect => {
  const [left, top] = [Math.min(...shape.map(([x]) => x)), Math.min(...shape.map(([, y]) => y))];
  const right = Math.max(...shape.map(([x, , w]) => x + w));
  const bottom = Math.max(...shape.map(([, y, , h]) => y + h));
  return [left, top, right - left, bottom - top];
};

describe.each(LABEL_KINDS)('a %s label', (kind) => {
  const label = sample({
    kind,
    packages: kind === 'letter' ? 1 : 3,
    ...(kind !== 'letter' && { package: 2 }),
  });

  test.for(DENSITIES)(
    'is a PNG of one bit at %s dpi with the codes of its PDF, and ZPL of the same dots',
    async (dpi, { printer, images }) => {
      const pdf = await printer.print(label);
      const png = readPng(await images.draw(pdf, { format: 'png', dpi }));
      const density = DOTS_PER_METRE[dpi];
      expect([png.width, png.height]).toEqual(SIZES[kind][dpi]);
      expect(png).toMatchObject({ bitDepth: 1, dotsPerMetre: [density, density] });
      const code = kind === 'letter' ? label.number : `${label.number}-02`;
      expect(await codesOf([kind === 'letter' ? lowerHalf(png) : png])).toEqual([
        [`CODE-128:${code}`, `QR-Code:${label.trackingUrl}`],
      ]);
      const [page, ...more] = readZpl(await images.draw(pdf, { format: 'zpl', dpi }));
      expect([page?.width, page?.height, more.length]).toEqual([png.width, png.height, 0]);
      expect(Buffer.compare(page?.pixels ?? Buffer.of(), png.pixels)).toBe(0);
    },
  );

  test('has the dots that another renderer draws of its PDF, at 203 dpi', async ({ printer, images }) => {
    const pdf = await printer.print(label);
    const [page] = await pagesOf(pdf, HEAD_DPI);
    const png = readPng(await images.draw(pdf, { format: 'png', dpi: 203 }));
    // PDFium rounds widths of letters to thousandths of their size: the end of a long line stands half a dot beside.
    expect(difference(png, page as Picture)).toBeLessThan(0.001);
    const { shared, pages } = renderLabel(label).drawing;
    for (const shape of [...shared, ...(pages[0] ?? [])]) {
      const bounds = boundsOf(shape);
      expect(dotsOf(png, bounds)).toEqual(dotsOf(page as Picture, bounds));
      for (const bar of shape) expect(new Set(dotsOf(png, bar).flat())).toEqual(new Set([0]));
    }
  });
});

test('ZPL has a page for each package, in their order', async ({ printer, images }) => {
  const label = sample({ kind: 'small', packages: 3 });
  const pages = readZpl(await images.draw(await printer.print(label), { format: 'zpl', dpi: 203 }, 3));
  const codes = (await codesOf(pages)).map(([barcode]) => barcode);
  expect(codes).toEqual(['01', '02', '03'].map((one) => `CODE-128:${label.number}-${one}`));
});

test('ZPL sets what an earlier job may have left in the printer', async ({ printer, images }) => {
  const pdf = await printer.print(sample({ kind: 'small' }));
  const zpl = (await images.draw(pdf, { format: 'zpl', dpi: 203 })).toString('latin1');
  expect(zpl).toMatch(
    /^\^XA\n\^JMA\^MUD,300,300\^PON\^PMN\^LRN\^LH0,0\^LS0\^LT0\n\^PW799\n\^LL799\n\^FO0,0\^GFA,/,
  );
});

test('a ZPL renderer that is not ours draws the dots of the PNG', async ({ printer, images }) => {
  const pdf = await printer.print(sample({ kind: 'medium', packages: 2 }));
  const zpl = await images.draw(pdf, { format: 'zpl', dpi: 203 }, 2);
  const [first, second] = await zplToBase64MultipleAsync(zpl.toString('latin1'), 799 / 8, 150, 8);
  const drawn = PNG.sync.read(Buffer.from(first ?? '', 'base64'));
  const { width, height, pixels } = readPng(await images.draw(pdf, { format: 'png', dpi: 203 }));
  expect([drawn.width, drawn.height]).toEqual([width, height]);
  expect(pixels.findIndex((level, dot) => drawn.data[4 * dot] !== level)).toBe(-1);
  expect(first).not.toBe(second);
});

/** A module of three dots of 1/8 mm is 4.43 dots of a head of 300 dpi, so a bar may be a dot wider or narrower. */
test('codes of random labels are read at 300 dpi, also at 150 dpi', async ({ printer, images }) => {
  const random = seeded(300);
  const labels = Array.from({ length: 4 }, () => randomLabel(random, 'medium'));
  const pictures = await Promise.all(
    labels.map(async (label) =>
      readPng(await images.draw(await printer.print(label), { format: 'png', dpi: 300 })),
    ),
  );
  const codes = labels.map(({ number, trackingUrl }) => [`CODE-128:${number}-01`, `QR-Code:${trackingUrl}`]);
  expect(await codesOf(pictures)).toEqual(codes);
  expect(await codesOf(pictures.map((picture) => scaled(picture, 0.5)))).toEqual(codes);
});
