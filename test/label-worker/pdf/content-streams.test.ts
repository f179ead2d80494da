import { expect, test } from 'vitest';
import type { Rect } from '#services/label-worker/drawing.ts';
import { contentStreams } from '#services/label-worker/pdf/content-streams.ts';

const streamsOf = (rectangle: Rect) =>
  contentStreams({ title: 'Guía', drawing: { shared: [], pages: [[[rectangle]]] } }, 425.25);

test('a rectangle is a thousandth of a dot smaller on each side', () => {
  expect(streamsOf([42, 7, 3, 144]).pages).toEqual(['42.001 7.001 2.998 143.998 re\nf Q\n']);
});

test.for<Rect>([
  [42.5, 7, 3, 144],
  [42, 73.5, 3, 144],
  [42, 7, 2.5, 144],
  [42, 7, 3, Number.NaN],
])('one that is not in whole dots is not written: %j', (rectangle) => {
  expect(() => streamsOf(rectangle)).toThrow(`A rectangle is not in whole dots: ${rectangle.join(', ')}`);
});
