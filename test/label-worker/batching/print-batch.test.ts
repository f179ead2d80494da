import { describe, expect, test } from 'vitest';
import { printBatch } from '#services/label-worker/batching/print-batch.ts';
import { PrintSlots } from '#services/label-worker/batching/print-slots.ts';
import { type WaitingLabel, WaitingList } from '#services/label-worker/batching/waiting-list.ts';
import { DomainError } from '#shared/errors/domain-error.ts';

/** Prints labels of these names in one batch; `fault` may throw. Returns the prints, and what each label came to. */
async function print(names: string, fault: (names: string) => void) {
  const batch = [...names].map((name) => ({ name, ...Promise.withResolvers<Uint8Array>() }));
  const results = Promise.allSettled(batch.map(({ promise }) => promise));
  const prints: string[] = [];
  await printBatch(batch, async (labels) => {
    const together = labels.map(({ name }) => name).join('');
    prints.push(together);
    fault(together);
    return labels.map(({ name }) => Buffer.from(name));
  });
  const outcomes = (await results).map((result) =>
    result.status === 'fulfilled' ? Buffer.from(result.value).toString() : result.reason.code,
  );
  return { prints, outcomes };
}

const refuse = (bad: string) => (names: string) => {
  if (names.includes(bad)) throw new Error('refused');
};

test('each label of a batch gets its own file', async () => {
  expect(await print('abc', () => {})).toEqual({ prints: ['abc'], outcomes: ['a', 'b', 'c'] });
});

test('a batch that is refused is halved until the label to blame stands alone', async () => {
  expect(await print('abcde', refuse('d'))).toEqual({
    prints: ['abcde', 'abc', 'de', 'd', 'e'],
    outcomes: ['a', 'b', 'c', 'label-unprintable', 'e'],
  });
});

test('a label that is refused alone is to blame', async () => {
  expect(await print('a', refuse('a'))).toEqual({ prints: ['a'], outcomes: ['label-unprintable'] });
});

test('when the browser fails no label is to blame, and nothing is printed again', async () => {
  const fail = () => {
    throw new DomainError('browser-failed');
  };
  expect(await print('abc', fail)).toEqual({ prints: ['abc'], outcomes: Array(3).fill('browser-failed') });
});

test('a browser that fails while halves are printed fails the labels of that half only', async () => {
  const fault = (names: string) => {
    if (names === 'cd') throw new DomainError('browser-failed');
    refuse('c')(names);
  };
  expect(await print('abcd', fault)).toEqual({
    prints: ['abcd', 'ab', 'cd'],
    outcomes: ['a', 'b', 'browser-failed', 'browser-failed'],
  });
});

/** Occupies a slot until the function that it returns is called. */
function occupy(slots: PrintSlots, labels: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const ended = slots.occupy(labels, () => promise);
  return () => {
    resolve();
    return ended;
  };
}

test('a print starts when a label is queued and nothing prints', () => {
  const slots = new PrintSlots(2);
  expect([slots.mayStart(0), slots.mayStart(1)]).toEqual([false, true]);
});

test('while one slot prints, the next starts only when at least as many labels are queued as are printing', async () => {
  const slots = new PrintSlots(3);
  const end = occupy(slots, 5);
  expect([slots.mayStart(4), slots.mayStart(5)]).toEqual([false, true]);
  const endNext = occupy(slots, 6);
  expect([slots.mayStart(10), slots.mayStart(11)]).toEqual([false, true]);
  await end();
  expect([slots.mayStart(5), slots.mayStart(6)]).toEqual([false, true]);
  await endNext();
  expect(slots.mayStart(1)).toBe(true);
});

test('no more prints run than there are slots', async () => {
  const slots = new PrintSlots(1);
  const end = occupy(slots, 1);
  expect(slots.mayStart(100)).toBe(false);
  await end();
  expect(slots.mayStart(100)).toBe(true);
});

test('a print that fails leaves its slot', async () => {
  const slots = new PrintSlots(1);
  await expect(slots.occupy(3, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(slots.mayStart(1)).toBe(true);
});

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

  test('are none when all are taken', () => {
    const list = new WaitingList<Label>(2);
    expect([list.size, list.takeBatch()]).toEqual([0, []]);
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
