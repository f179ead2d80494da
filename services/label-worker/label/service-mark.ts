import type { Rect } from '../drawing.ts';

/**
 * The filled square with a white letter that tells the service from afar. It is of rectangles in whole dots, as codes are
 * (docs/decisions/0002-codes-in-whole-dots.md), so that Chromium never draws it.
 */

/** Points of a line are so close that the pen leaves no gaps. */
const STEPS = 60;

type Point = readonly [x: number, y: number];
/** The line that a round pen follows, in shares of the square's side. */
const LETTERS = {
  D: [
    ...line([0.33, 0.21], [0.33, 0.79]),
    ...line([0.33, 0.21], [0.45, 0.21]),
    ...arc([0.45, 0.5], [0.24, 0.29], -90, 90),
    ...line([0.33, 0.79], [0.45, 0.79]),
  ],
  S: [...arc([0.5, 0.355], [0.205, 0.145], -20, -270), ...arc([0.5, 0.645], [0.205, 0.145], -90, 160)],
} as const satisfies Record<string, Point[]>;

export type MarkLetter = keyof typeof LETTERS;
const PEN_WIDTH = 0.15;
/** A row of rectangles is so many dots high, which halves them. */
const ROW = 2;

/** In dots: the upper left corner, and the side. */
export type MarkPosition = { x: number; y: number; size: number };

const drawn = new Map<string, Rect[]>();

/** Returns the mark of a letter. Keeps the shapes of each size, which a template has few of. */
export function serviceMark(letter: MarkLetter, { x, y, size }: MarkPosition): Rect[] {
  const key = `${letter}${size}`;
  const shape = drawn.get(key) ?? drawMark(letter, size);
  drawn.set(key, shape);
  return shape.map(([left, top, width, height]) => [x + left, y + top, width, height]);
}

function drawMark(letter: MarkLetter, size: number): Rect[] {
  const mark: Rect[] = [];
  let rowAbove = '';
  let above: number[] = [];
  for (let top = 0; top < size; top += ROW) {
    const height = Math.min(ROW, size - top);
    const runs = blackRuns(letter, (top + height / 2) / size, size);
    const row = runs.join();
    if (row === rowAbove) {
      for (const index of above) mark[index] = taller(mark[index] as Rect, height);
    } else {
      above = runs.map(([left, right]) => mark.push([left, top, right - left, height]) - 1);
      rowAbove = row;
    }
  }
  return mark;
}

function taller([x, y, width, height]: Rect, by: number): Rect {
  return [x, y, width, height + by];
}

/** Returns where a row is black: outside of the letter. */
function blackRuns(letter: MarkLetter, y: number, size: number): [left: number, right: number][] {
  const runs: [number, number][] = [];
  let left = 0;
  for (let x = 0; x <= size; x++) {
    if (x < size && !isInked(letter, [(x + 0.5) / size, y])) continue;
    if (x > left) runs.push([left, x]);
    left = x + 1;
  }
  return runs;
}

function isInked(letter: MarkLetter, [x, y]: Point): boolean {
  return LETTERS[letter].some(([px, py]) => Math.hypot(px - x, py - y) <= PEN_WIDTH / 2);
}

function line([fromX, fromY]: Point, [toX, toY]: Point): Point[] {
  return steps((share) => [fromX + (toX - fromX) * share, fromY + (toY - fromY) * share]);
}

/** @param from and `to` in degrees, clockwise from the right. */
function arc([x, y]: Point, [radiusX, radiusY]: Point, from: number, to: number): Point[] {
  return steps((share) => {
    const angle = ((from + (to - from) * share) * Math.PI) / 180;
    return [x + radiusX * Math.cos(angle), y + radiusY * Math.sin(angle)];
  });
}

function steps(at: (share: number) => Point): Point[] {
  return Array.from({ length: STEPS + 1 }, (_, i) => at(i / STEPS));
}
