import { describe, expect, test } from 'vitest';
import { type WaitingLabel, WaitingList } from '#services/label-worker/batching/waiting-list.ts';

type Label = WaitingLabel;
const of = (pages: number, place = 1): Label => ({ kind: 'medium', pages, alone: false, place });
const alone: Label = { ...of(1), alone: true };
const letter = (pages: number): Label => ({ ...of(pages), kind: 'letter' });

/** The batches of these labels, by the pages of each label, when all of them wait. */
function batchesOf(labels: Label[], maxLabels = 50): number[][] {
  const list = new WaitingList<Label>(maxLabels);
  for (const label of labels) list.add(label);
  const batches: number[][] = [];
  while (list.size > 0) batches.push(list.takeBatch().map(({ pages }) => pages));
  return batches;
}

describe('labels that wait', () => {
  test.each<[string, Label[], number[][]]>([
    ['share a print, in their order', [of(1), of(2), of(3)], [[1, 2, 3]]],
    [
      'have at most 100 pages in one print',
      [of(20), of(20), of(20), of(20), of(20), of(1)],
      [[20, 20, 20, 20, 20], [1]],
    ],
    [
      'leave room where the next one does not fit',
      [of(20), of(20), of(20), of(20), of(25), of(1)],
      [[20, 20, 20, 20, 1], [25]],
    ],
    ['of 25 pages share a print', [of(25), of(1)], [[25, 1]]],
    ['of more than 25 pages do not', [of(26), of(1)], [[26], [1]]],
    ['of more than 100 pages are one print', [of(150)], [[150]]],
    ['beside a large one go without it', [of(1), of(26), of(1)], [[1, 1], [26]]],
    ['that must be alone are', [of(1), alone, of(1), of(1)], [[1, 1, 1], [1]]],
    [
      'go by their places, and at the same place by their arrival',
      [of(3, 7), of(2, 5), of(1, 7)],
      [[2, 3, 1]],
    ],
    [
      'share a print with those of their kind alone',
      [of(1), letter(2), of(3), letter(4)],
      [
        [1, 3],
        [2, 4],
      ],
    ],
    ['behind a large one wait for it', [of(60, 1), of(61, 2), of(1, 3), of(2, 3)], [[60], [61], [1, 2]]],
  ])('%s', (_, labels, batches) => {
    expect(batchesOf(labels)).toEqual(batches);
  });

  test('are at most so many in one print', () => {
    expect(batchesOf([of(1), of(1), of(1), of(1), of(1)], 2)).toEqual([[1, 1], [1, 1], [1]]);
  });

  test('may come between two prints', () => {
    const list = new WaitingList<Label>(50);
    list.add(of(60, 5));
    list.add(of(61, 5));
    expect(list.takeBatch()).toEqual([of(60, 5)]);
    list.add(of(1, 4));
    expect(list.takeBatch()).toEqual([of(1, 4)]);
    expect(list.takeBatch()).toEqual([of(61, 5)]);
    expect(list.size).toBe(0);
  });
});
