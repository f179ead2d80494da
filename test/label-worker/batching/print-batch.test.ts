import { expect, test } from 'vitest';
import { printBatch } from '#services/label-worker/batching/print-batch.ts';
import { DomainError } from '#shared/errors.ts';

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
