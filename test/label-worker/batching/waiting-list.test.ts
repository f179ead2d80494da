import { describe, expect, it } from 'vitest';
import { WaitingList } from '#services/label-worker/batching/waiting-list.ts';

type Label = { pages: number; alone: boolean; account: string; behind: boolean };
const of = (pages: number, account = 'one'): Label => ({ pages, alone: false, account, behind: false });
const behind = (pages: number, account = 'one'): Label => ({ ...of(pages, account), behind: true });
const alone: Label = { ...of(1), alone: true };

/** The batches of these labels, by the pages of each label, when all of them wait. */
function batchesOf(labels: Label[], maxLabels = 50): number[][] {
  const list = new WaitingList<Label>(maxLabels);
  for (const label of labels) list.add(label);
  const batches: number[][] = [];
  while (list.size > 0) batches.push(list.takeBatch().map(({ pages }) => pages));
  return batches;
}

describe('labels that wait', () => {
  it.each<[string, Label[], number[][]]>([
    ['share a print, in their order', [of(1), of(2), of(3)], [[1, 2, 3]]],
    [
      'have at most 100 pages in one print',
      [of(20), of(20), of(20), of(20), of(20), of(1)],
      [[20, 20, 20, 20, 20], [1]],
    ],
    [
      'leave room where the next one does not fit',
      [of(20), of(20), of(20), of(20), of(25), of(1)],
      [
        [20, 20, 20, 20],
        [25, 1],
      ],
    ],
    ['of 25 pages share a print', [of(25), of(1)], [[25, 1]]],
    ['of more than 25 pages do not', [of(26), of(1)], [[26], [1]]],
    ['of more than 100 pages are one print', [of(150)], [[150]]],
    ['before a large one go without it', [of(1), of(26), of(1)], [[1], [26], [1]]],
    ['that must be alone are', [of(1), alone, of(1), of(1)], [[1], [1], [1, 1]]],
    [
      'that are not large go after a large one',
      [of(60), of(61), of(62), of(1), of(2)],
      [[60], [1, 2], [61], [62]],
    ],
    [
      'that are large go after a batch of others',
      [of(60), of(1), of(61), of(2), of(62)],
      [[60], [1, 2], [61], [62]],
    ],
  ])('%s', (_, labels, batches) => {
    expect(batchesOf(labels)).toEqual(batches);
  });

  it('of several accounts take turns by their pages', () => {
    const greedy = [of(20, 'greedy'), of(20, 'greedy'), of(20, 'greedy'), of(20, 'greedy')];
    const labels = [...greedy, of(1, 'modest'), of(2, 'modest')];
    expect(batchesOf(labels, 2)).toEqual([
      [20, 1],
      [2, 20],
      [20, 20],
    ]);
  });

  it('go before what an account has left that had its share', () => {
    const list = new WaitingList<Label>(1);
    for (let i = 0; i < 300; i++) list.add(of(1, 'greedy'));
    for (let i = 0; i < 50; i++) list.takeBatch();
    list.add(of(1, 'modest'));
    expect([list.takeBatch(), list.takeBatch()].flat()).toContainEqual(of(1, 'modest'));
  });

  it('have no claim to turns from before they waited', () => {
    const list = new WaitingList<Label>(1);
    for (let i = 0; i < 100; i++) list.add(of(1, 'first'));
    for (let i = 0; i < 50; i++) list.takeBatch();
    for (let i = 0; i < 10; i++) list.add(of(1, 'second'));
    const next = Array.from({ length: 10 }, () => list.takeBatch()[0]?.account);
    expect(next.filter((account) => account === 'first').length).toBeGreaterThanOrEqual(4);
  });

  it('share no print with those of files, which have their turns as others do', () => {
    const files = [behind(1, 'files'), behind(2, 'files'), behind(3, 'files')];
    expect(batchesOf([...files, of(10, 'single'), of(20, 'single')], 2)).toEqual([[1, 2], [10, 20], [3]]);
  });

  it('of files stay where those alone may be printed that are asked for singly', () => {
    const list = new WaitingList<Label>(50);
    for (const label of [behind(1), of(2), behind(3)]) list.add(label);
    const singly = (isBehind: boolean) => !isBehind;
    expect([list.takeBatch(singly), list.takeBatch(singly)]).toEqual([[of(2)], []]);
    expect([list.sizeOf(false), list.sizeOf(true), list.size]).toEqual([0, 2, 2]);
    expect(list.takeBatch()).toEqual([behind(1), behind(3)]);
  });

  it('are at most so many in one print', () => {
    expect(batchesOf([of(1), of(1), of(1), of(1), of(1)], 2)).toEqual([[1, 1], [1, 1], [1]]);
  });

  it('are none when all are taken', () => {
    const list = new WaitingList<Label>(2);
    expect([list.size, list.takeBatch()]).toEqual([0, []]);
  });

  it('may come between two prints', () => {
    const list = new WaitingList<Label>(50);
    list.add(of(60));
    list.add(of(61));
    expect(list.takeBatch()).toEqual([of(60)]);
    list.add(of(1));
    expect(list.takeBatch()).toEqual([of(1)]);
    list.add(of(2));
    // The large one had 60 pages: as many of the others go before the next large one.
    expect(list.takeBatch()).toEqual([of(2)]);
    expect(list.takeBatch()).toEqual([of(61)]);
    expect(list.size).toBe(0);
  });
});
