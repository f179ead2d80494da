import { describe, expect } from 'vitest';
import { asReturn, sample } from '#services/label-worker/label/template-files/sample-labels.ts';
import { LABEL_KINDS } from '#shared/labels/label-kinds.ts';
import type { LabelPayload } from '#shared/labels/label-payload.ts';
import { test } from '#test/fixtures/labels/label-printing.ts';
import {
  type Area,
  codesOf,
  HEAD_DPI,
  noisy,
  type Picture,
  pagesOf,
  scaled,
  turned,
} from '#test/fixtures/labels/pictures.ts';
import { randomLabel, seeded } from '#test/fixtures/labels/random-labels.ts';

/** The codes as a thermal head prints them and a hand scanner reads them. */

/** A code's part of the page, in dots, where the templates put it: a wrong place is no code at all. */
const AREAS = {
  letter: { barcode: [1000, 1868, 495, 176], qr: [1279, 904, 352, 352], both: [990, 890, 650, 1200] },
  medium: { barcode: [150, 984, 500, 144], qr: [546, 104, 222, 222], both: [0, 0, 799, 1199] },
  small: { barcode: [150, 640, 500, 100], qr: [557, 82, 206, 206], both: [0, 0, 799, 799] },
} as const;

/** Of the bars of a Code 128. */
const LEAST_HEIGHT_MM = { letter: 18, medium: 18, small: 12 };

/** Part of a page. */
function cut({ width, pixels }: Picture, [left, top, w, h]: Area): Picture {
  const cutting = new Uint8Array(w * h);
  for (let y = 0; y < h; y++) {
    cutting.set(pixels.subarray((top + y) * width + left, (top + y) * width + left + w), y * w);
  }
  return { width: w, height: h, pixels: cutting };
}

/** Lengths of the black and white runs of a row, white ones at both ends. */
function runs({ width, pixels }: Picture, y: number): number[] {
  const lengths = [0];
  let colour = 255;
  for (const pixel of pixels.subarray(y * width, (y + 1) * width)) {
    if (pixel !== colour) lengths.push(0);
    colour = pixel;
    lengths.push((lengths.pop() ?? 0) + 1);
  }
  return lengths;
}

/** Rows with any black: the symbol without its quiet zone. */
function blackRows(picture: Picture): number[] {
  return Array.from({ length: picture.height }, (_, y) => y).filter((y) => runs(picture, y).length > 1);
}

describe.each(LABEL_KINDS)('on the %s label', (kind) => {
  let page: Picture;
  test.beforeAll(async ({ printer }) => {
    const pdf = await printer.print(sample({ kind }));
    [page = { width: 0, height: 0, pixels: new Uint8Array() }] = await pagesOf(pdf, HEAD_DPI);
  });

  test('every bar of the Code 128 is whole dots', () => {
    const code = cut(page, AREAS[kind].barcode);
    const [before = 0, ...bars] = runs(code, 50);
    const after = bars.pop() ?? 0;
    const X = Math.min(...bars);
    expect([3, 4]).toContain(X);
    for (const bar of bars) expect(bar % X).toBe(0);
    // Without grey: the edges are where dots are, and not merely as far apart.
    expect(new Set(code.pixels)).toEqual(new Set([0, 255]));
    for (let y = 0; y < code.height; y++) expect(runs(code, y)).toEqual([before, ...bars, after]);
    expect(code.height).toBeGreaterThanOrEqual(LEAST_HEIGHT_MM[kind] * 8);
    // 12 digits in set C are 101 modules: start, six symbols, check, stop.
    if (kind === 'letter') expect(bars.reduce((sum, bar) => sum + bar)).toBe(101 * X);
  });

  test('the quiet zones of the Code 128 are ten modules', () => {
    const [left, top, width, height] = AREAS[kind].barcode;
    const [before = 0, ...bars] = runs(cut(page, AREAS[kind].barcode), 50);
    const after = bars.pop() ?? 0;
    const quiet = 10 * Math.min(...bars);
    for (const x of [left + before - quiet, left + width - after]) {
      expect(new Set(cut(page, [x, top, quiet, height]).pixels)).toEqual(new Set([255]));
    }
  });

  test('every module of the QR is whole dots, with four modules of quiet zone', () => {
    const code = cut(page, AREAS[kind].qr);
    expect(new Set(code.pixels)).toEqual(new Set([0, 255]));
    const rows = blackRows(code);
    const [first = 0, last = 0] = [rows[0], rows.at(-1)];
    // Its first row begins with a finder pattern: seven dark modules.
    const [left = 0, finder = 0] = runs(code, first);
    const module = finder / 7;
    expect(module).toBeGreaterThanOrEqual(4);
    for (const y of rows) {
      const [before = 0, ...parts] = runs(code, y);
      parts.pop();
      expect((before - left) % module).toBe(0);
      for (const part of parts) expect(part % module).toBe(0);
      // Rows come in groups of a module's height.
      const groupStart = first + Math.floor((y - first) / module) * module;
      expect(runs(code, y)).toEqual(runs(code, groupStart));
    }
    expect((last - first + 1) % module).toBe(0);
    expect(Math.min(left, first, code.height - 1 - last)).toBeGreaterThanOrEqual(4 * module);
  });
});

test.for(['medium', 'small'] as const)(
  'no square inch of a %s label outside its codes is more than 30 %% black',
  async (kind, { printer }) => {
    for (const wide of ['MTY01', 'WMW04', 'HUX02', 'GDL']) {
      const destination = { code: wide, name: 'Huamantla' };
      const marks = [{ text: 'DEVOLUCIÓN' }];
      const label = sample({ kind, destination, route: 'WMB-8', service: 'the service', marks });
      for (const page of await pagesOf(await printer.print(label), HEAD_DPI)) {
        for (const [left, top, width, height] of [AREAS[kind].barcode, AREAS[kind].qr]) {
          for (let y = top; y < top + height; y++) {
            page.pixels.fill(255, y * page.width + left, y * page.width + left + width);
          }
        }
        expect(blackestSquareInch(page)).toBeLessThan(0.3);
      }
    }
  },
);

/** Share of black in the blackest window of 203 × 203 dots, looked at every 8 dots. */
function blackestSquareInch({ width, height, pixels }: Picture): number {
  const side = 203;
  // Black of the rectangle from the corner to each pixel, so that a window costs four look-ups.
  const sums = new Float64Array((width + 1) * (height + 1));
  const at = (x: number, y: number) => sums[y * (width + 1) + x] ?? 0;
  for (let y = 1; y <= height; y++) {
    for (let x = 1; x <= width; x++) {
      const black = 1 - (pixels[(y - 1) * width + x - 1] ?? 255) / 255;
      sums[y * (width + 1) + x] = black + at(x - 1, y) + at(x, y - 1) - at(x - 1, y - 1);
    }
  }
  let most = 0;
  for (let y = side; y <= height; y += 8) {
    for (let x = side; x <= width; x += 8) {
      most = Math.max(most, at(x, y) - at(x - side, y) - at(x, y - side) + at(x - side, y - side));
    }
  }
  return most / side ** 2;
}

/** What a reader must find on a page. */
const expected = (label: LabelPayload, code: string) => [`CODE-128:${code}`, `QR-Code:${label.trackingUrl}`];

test.for(['medium', 'small'] as const)(
  'a reader decodes packages 1, 2, 37 and 99 of 99 of a %s label',
  async (kind, { printer }) => {
    const label = sample({ kind, packages: 99 });
    const looked = [1, 2, 37, 99];
    const read = await codesOf(await pagesOf(await printer.print(label), HEAD_DPI, { pages: looked }));
    for (const [i, package_] of looked.entries()) {
      expect(read[i]).toEqual(expected(label, `${label.number}-${String(package_).padStart(2, '0')}`));
    }
  },
);

test.for(LABEL_KINDS)(
  'a reader decodes both numbers of a return on the %s label',
  async (kind, { printer }) => {
    const label = asReturn(sample({ kind }));
    const [page] = await pagesOf(await printer.print(label), HEAD_DPI, { area: AREAS[kind].both });
    const [read = []] = await codesOf([page as Picture]);
    const own = kind === 'letter' ? label.number : `${label.number}-01`;
    expect(read.toSorted()).toEqual([...expected(label, own), `CODE-128:${label.former}`].toSorted());
  },
);

const SPOILT: Record<string, (picture: Picture, random: () => number) => Picture> = {
  'as printed': (picture) => picture,
  'turned by 90°': turned,
  'at 150 dpi': (picture) => scaled(picture, 150 / HEAD_DPI),
  'with 2 % salt and pepper': (picture, random) => noisy(picture, 0.02, random),
};
/** Labels of each kind; `ALL_READS=1` takes 50 times as many, and as long. */
const COUNT = process.env.ALL_READS ? 200 : 4;
/** Share that must be read; dust may hide a code, but seldom. */
const FLOOR: Record<string, number> = { 'with 2 % salt and pepper': 0.98 };

describe.each(LABEL_KINDS)(
  'random guides on the %s label',
  (kind) => {
    const random = seeded({ letter: 1, small: 2, medium: 3 }[kind]);
    const labels = Array.from({ length: COUNT }, () => randomLabel(random, kind));
    let files: Uint8Array[];
    let pages: Picture[];
    test.beforeAll(async ({ printer }) => {
      files = await Promise.all(labels.map((label) => printer.print(label)));
      // Of a letter page the part where the codes are, as a hand scanner sees it: the whole takes four times as long.
      pages = [];
      for (const file of files) pages.push(...(await pagesOf(file, HEAD_DPI, { area: AREAS[kind].both })));
    });

    test('are decoded exactly at 300 dpi with 0.5 % salt and pepper', async () => {
      const area = AREAS[kind].both.map((dots) => Math.round((dots * 300) / HEAD_DPI)) as unknown as Area;
      const read = await codesOf(
        await Promise.all(
          files.slice(0, 8).map(async (file) => {
            const [picture] = await pagesOf(file, 300, { area });
            return noisy(picture as Picture, 0.005, random);
          }),
        ),
      );
      expect(read).toEqual(
        labels
          .slice(0, 8)
          .map((label) => expected(label, kind === 'letter' ? label.number : `${label.number}-01`)),
      );
    });

    test.each(Object.keys(SPOILT))('are decoded exactly %s', async (how) => {
      let good = 0;
      const misread: string[][] = [];
      for (let i = 0; i < COUNT; i += 50) {
        const read = await codesOf(
          pages.slice(i, i + 50).map((page) => (SPOILT[how] ?? ((same) => same))(page, random)),
        );
        for (const [j, codes] of read.entries()) {
          const label = labels[i + j] as LabelPayload;
          const right = expected(label, kind === 'letter' ? label.number : `${label.number}-01`);
          if (codes.join() === right.join()) good++;
          else misread.push(codes);
        }
      }
      process.stdout.write(`  ${kind}, ${how}: ${good} of ${COUNT} read\n`);
      expect(good / COUNT, JSON.stringify(misread)).toBeGreaterThanOrEqual(FLOOR[how] ?? 1);
    });
  },
  120_000,
);
