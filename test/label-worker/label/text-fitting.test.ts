import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DOTS_PER_POINT } from '#services/label-worker/drawing.ts';
import { widthOf } from '#services/label-worker/label/line-breaking.ts';
import { fitColumn, fitText } from '#services/label-worker/label/text-fitting.ts';

const texts = (setting: Parameters<typeof fitText>[1], text: string) => {
  const { lines, size } = fitText(text, setting);
  return { size, lines: lines.map(({ text }) => text) };
};
/** Room for so many em of 10 pt. */
const em = (count: number) => count * 10 * DOTS_PER_POINT;

describe('fitText', () => {
  const words = 'Avenida de los Insurgentes Sur 1234';
  const width = em(widthOf(words, 'medium'));

  it.each([
    ['what fits is one line of the full size', 1.01, 1, { size: 10, lines: [words] }],
    ['a little too long is smaller', 0.85, 1, { size: 8, lines: [words] }],
    ['lines break between words', 0.6, 2, { size: 10, lines: ['Avenida de los', 'Insurgentes Sur 1234'] }],
    ['what is far too long is cut', 0.1, 1, { size: 6, lines: ['Ave…'] }],
  ])('%s', (_, share, lines, expected) => {
    expect(texts({ size: 10, width: width * share, maxLines: lines }, words)).toEqual(expected);
  });

  it('a word longer than a line is broken where the line ends', () => {
    const { lines } = texts({ size: 10, width: em(3), maxLines: 3, minSize: 10, bold: true }, 'WWWWWWWW');
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
          const set = fitText(text, { size, width, maxLines: lines, bold: true });
          const whole = text.replace(/ /g, '');
          const shown = set.lines
            .map((line) => line.text)
            .join('')
            .replace(/ /g, '');
          if (shown.endsWith('…')) expect(whole.startsWith(shown.slice(0, -1))).toBe(true);
          else expect(shown).toBe(whole);
          const tallest =
            fitText('x', { size, bold: true }).height + (lines - 1) * 1.12 * size * DOTS_PER_POINT;
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
  const field = { text: 'Luis', size: 10 };
  const column = { width: em(10), height: em(4), gap: 0, maxScale: 1.25 };
  expect(fitColumn([field], column).map(({ size }) => size)).toEqual([12.5]);
  expect(fitColumn([field, field, field], column).map(({ size }) => size)).toEqual([
    11.200000000000001, 11.200000000000001, 11.200000000000001,
  ]);
  const long = { ...field, text: 'Luis Fernando de la Cruz G.' };
  expect(fitColumn([field, long], column).map(({ size }) => size)).toEqual([10, 8]);
});
