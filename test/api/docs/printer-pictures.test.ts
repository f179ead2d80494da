import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { toBitmap } from '#services/label-worker/images/bitmap.ts';
import { ImagePrinter } from '#services/label-worker/images/image-printer.ts';
import { toPng } from '#services/label-worker/images/png.ts';
import { sample } from '#services/label-worker/label/template-files/sample-labels.ts';
import { readPng } from '#test/fixtures/labels/images.ts';
import { test as printing } from '#test/fixtures/labels/label-printing.ts';
import { type Picture, scaled } from '#test/fixtures/labels/pictures.ts';
import { seeded } from '#test/fixtures/labels/random-labels.ts';

/**
 * The pictures of `/api/docs/impresoras`: the beginning of a label's bar code, and what printers make of it.
 * `UPDATE_PICTURES=1 npm test -- test/api/docs/printer-pictures.test.ts` draws them anew.
 */

const FOLDER = join(repoRoot, 'services/api/docs/pictures');
const [WIDTH, HEIGHT] = [192, 72];
/** The upper left corner of the pictures, in dots of the small label: within the height of its bars, 50 dots before them. */
const [LEFT, TOP] = [132, 655];
const GREY = 190;

const test = printing.extend(
  'label',
  { scope: 'file' },
  async ({ printer }, { onCleanup }): Promise<Picture> => {
    const images = new ImagePrinter({ timeoutMs: 20_000 });
    onCleanup(() => images.close());
    const pdf = await printer.print(sample({ kind: 'small', packages: 1 }));
    const order = { place: 1, key: 'key', askedAt: performance.now() };
    return readPng(Buffer.from(await images.print(pdf, 1, { format: 'png', dpi: 203 }, order)));
  },
);

/** Draws a picture from another one, dot by dot; `at` gives the level of a dot of that one. */
function redraw(
  picture: Picture,
  level: (at: (x: number, y: number) => number, x: number, y: number) => number,
): Picture {
  const { width, height, pixels } = picture;
  const at = (x: number, y: number) => pixels[y * width + x] ?? 255;
  return { width, height, pixels: pixels.map((_, dot) => level(at, dot % width, Math.floor(dot / width))) };
}

/** What printers make of a label, by the names of the pictures. */
const MADE: Record<string, (label: Picture) => Picture> = {
  bueno: (label) => label,
  ajustado: (label) => {
    const small = redraw(scaled(label, 0.94), (at, x, y) => (at(x, y) < 128 ? 0 : 255));
    return redraw(label, (_, x, y) => {
      const [column, row] = [x - LEFT + Math.round(0.94 * LEFT), y - TOP + Math.round(0.94 * TOP)];
      return small.pixels[row * small.width + column] ?? 255;
    });
  },
  oscuro: (label) =>
    redraw(label, (at, x, y) => Math.min(at(x - 1, y), at(x, y), at(x + 1, y), at(x, y - 1))),
  claro: (label) => {
    const random = seeded(1);
    const thin = redraw(label, (at, x, y) => Math.max(at(x, y), at(x + 1, y)));
    return redraw(thin, (at, x, y) => (random() < 0.25 ? 255 : at(x, y)));
  },
  sucio: (label) => redraw(label, (at, x, y) => ([203, 204, 205, 251, 252].includes(x) ? 255 : at(x, y))),
  cortado: (label) => redraw(label, (at, x, y) => (x < LEFT + 48 ? GREY : at(x, y))),
};

test.for(Object.entries(MADE))('%s is what the page shows', ([name, make], { label }) => {
  const { width, pixels } = make(label);
  const cut = new Uint8Array(WIDTH * HEIGHT);
  for (let y = 0; y < HEIGHT; y++) {
    const start = (TOP + y) * width + LEFT;
    cut.set(pixels.subarray(start, start + WIDTH), y * WIDTH);
  }
  const file = toPng(toBitmap(cut, WIDTH, HEIGHT), 8);
  const path = join(FOLDER, `${name}.png`);
  if (process.env.UPDATE_PICTURES) {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(path, file);
  }
  expect(readPng(readFileSync(path)).pixels).toEqual(readPng(file).pixels);
});
