import { readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import type { Browser } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DRAWN } from '#services/label-worker/label/charset.ts';
import { DOCUMENT } from '#services/label-worker/label/label-html.ts';
import { DOTS_PER_POINT, setColumn, setText, widthOf } from '#services/label-worker/label/line-breaking.ts';
import { openBrowser } from '#test/fixtures/browser.ts';

const texts = (setting: Parameters<typeof setText>[1], text: string) => {
  const { lines, size } = setText(text, setting);
  return { size, lines: lines.map(({ text }) => text) };
};
/** Room for so many em of 10 pt. */
const em = (count: number) => count * 10 * DOTS_PER_POINT;

describe('setText', () => {
  const words = 'Avenida de los Insurgentes Sur 1234';
  const width = em(widthOf(words, 'medium'));

  it.each([
    ['what fits is one line of the full size', 1.01, 1, { size: 10, lines: [words] }],
    ['a little too long is smaller', 0.85, 1, { size: 8, lines: [words] }],
    ['lines break between words', 0.6, 2, { size: 10, lines: ['Avenida de los', 'Insurgentes Sur 1234'] }],
    ['what is far too long is cut', 0.1, 1, { size: 6, lines: ['Ave…'] }],
  ])('%s', (_, share, lines, expected) => {
    expect(texts({ size: 10, width: width * share, lines, face: 'medium' }, words)).toEqual(expected);
  });

  it('a word longer than a line is broken where the line ends', () => {
    const { lines } = texts({ size: 10, width: em(3), lines: 3, least: 10, face: 'bold' }, 'WWWWWWWW');
    expect(lines).toEqual(['WWW', 'WWW', 'WW']);
  });

  it('keeps to its room, whatever the text, and loses nothing without an ellipsis', () => {
    const text = fc.string({ unit: fc.constantFrom(...'aWi. ñÁ—1'), maxLength: 200 });
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 20, max: 1_500 }),
        fc.integer({ min: 6, max: 40 }),
        fc.integer({ min: 1, max: 3 }),
        (text, width, size, lines) => {
          const set = setText(text, { size, width, lines, face: 'bold' });
          const whole = text.replace(/ /g, '');
          const shown = set.lines
            .map((line) => line.text)
            .join('')
            .replace(/ /g, '');
          if (shown.endsWith('…')) expect(whole.startsWith(shown.slice(0, -1))).toBe(true);
          else expect(shown).toBe(whole);
          const tallest =
            setText('x', { size, face: 'bold' }).height + (lines - 1) * 1.12 * size * DOTS_PER_POINT;
          expect(set.height).toBeLessThanOrEqual(tallest + 0.1);
          for (const { text } of set.lines) {
            // A single letter, or the ellipsis alone, may be wider than a room that takes none.
            if (text.length > 1)
              expect(widthOf(text, 'bold') * set.size * DOTS_PER_POINT).toBeLessThanOrEqual(width + 0.1);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

it('a column of few fields is larger, and a long field makes no field larger', () => {
  const field = { text: 'Luis', size: 10, face: 'medium' } as const;
  const column = { width: em(10), height: em(4), gap: 0, larger: 1.25 };
  expect(setColumn([field], column).map(({ size }) => size)).toEqual([12.5]);
  expect(setColumn([field, field, field], column).map(({ size }) => size)).toEqual([
    11.200000000000001, 11.200000000000001, 11.200000000000001,
  ]);
  const long = { ...field, text: 'Luis Fernando de la Cruz G.' };
  expect(setColumn([field, long], column).map(({ size }) => size)).toEqual([10, 8]);
});

describe('widths', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it('are those of the fonts in Chromium; UPDATE_GOLDEN=1 measures them anew', async () => {
    const characters = Array.from({ length: 0x2200 }, (_, code) => String.fromCodePoint(code))
      .filter((character) => new RegExp(`[${DRAWN}]`).test(character))
      .join('');
    const page = await browser.newPage();
    await page.setContent(DOCUMENT);
    const measured = await page.evaluate(`(async () => {
      await Promise.all([...document.fonts].map((face) => face.load()));
      const canvas = document.createElement('canvas').getContext('2d');
      const widths = (weight) => {
        canvas.font = weight + ' 1000px Label';
        return [...${JSON.stringify(characters)}].map((character) => Math.round(canvas.measureText(character).width)).join(' ');
      };
      return { medium: widths(500), bold: widths(700) };
    })()`);
    const path = new URL('../../../services/label-worker/label/fonts/widths.json', import.meta.url);
    const now = { characters, ...(measured as object) };
    if (process.env.UPDATE_GOLDEN) writeFileSync(path, `${JSON.stringify(now, null, 2)}\n`);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(now);
  });
});
