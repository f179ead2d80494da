import { describe, expect, test } from 'vitest';
import { type Pixels, shrink } from '#services/api/evidence/shrink.ts';

/** Makes a picture of gray values, all opaque unless said otherwise. */
function picture(rows: number[][], opaque = 255): Pixels {
  const data = new Uint8ClampedArray(rows.flat().flatMap((value) => [value, value, value, opaque]));
  return { data, width: rows[0]?.length ?? 0, height: rows.length };
}
/** Returns the rows of a picture's red values. */
function rowsOf({ data, width, height }: Pixels): number[][] {
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) => data[(y * width + x) * 4] ?? -1),
  );
}

const LETTER = [
  [10, 20, 30],
  [40, 50, 60],
];

describe('a picture', () => {
  test('that is small stays as it is', () => {
    expect(rowsOf(shrink(picture(LETTER), 1, 3))).toEqual(LETTER);
  });

  test('gets the means of the pixels that it loses', () => {
    const large = picture([
      [0, 100, 200, 200],
      [100, 200, 0, 0],
    ]);
    expect(rowsOf(shrink(large, 1, 2))).toEqual([[100, 100]]);
  });

  test('gets parts of pixels that stand between two', () => {
    expect(rowsOf(shrink(picture([[0, 90, 180]]), 1, 2))).toEqual([[30, 150]]);
  });

  test('stands on white', () => {
    expect(rowsOf(shrink(picture([[0, 255]], 0), 1, 10))).toEqual([[255, 255]]);
    expect(rowsOf(shrink(picture([[0]], 51), 1, 10))).toEqual([[204]]);
  });

  test('keeps a pixel of its short side', () => {
    const { width, height } = shrink(picture([Array(400).fill(9)]), 1, 100);
    expect([width, height]).toEqual([100, 1]);
  });

  // As EXIF 2.32, table 6, names where row 0 and column 0 of the stored picture are.
  test.for([
    [
      1,
      [
        [10, 20, 30],
        [40, 50, 60],
      ],
    ],
    [
      2,
      [
        [30, 20, 10],
        [60, 50, 40],
      ],
    ],
    [
      3,
      [
        [60, 50, 40],
        [30, 20, 10],
      ],
    ],
    [
      4,
      [
        [40, 50, 60],
        [10, 20, 30],
      ],
    ],
    [
      5,
      [
        [10, 40],
        [20, 50],
        [30, 60],
      ],
    ],
    [
      6,
      [
        [40, 10],
        [50, 20],
        [60, 30],
      ],
    ],
    [
      7,
      [
        [60, 30],
        [50, 20],
        [40, 10],
      ],
    ],
    [
      8,
      [
        [30, 60],
        [20, 50],
        [10, 40],
      ],
    ],
  ] as const)('of orientation %i is put upright', ([orientation, rows]) => {
    expect(rowsOf(shrink(picture(LETTER), orientation, 10))).toEqual(rows);
  });
});
