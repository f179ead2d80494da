import { expect, test } from 'vitest';
import { giveWay, inTurns, isTurnOver } from '#shared/async/in-turns.ts';

/** Longer than work may take in one turn of the event loop. */
const LONG_MS = 6;

function workFor(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** Counts the turns of the event loop until the work is done. */
async function turnsOf(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await work;
  isOver = true;
  return turns;
}

test('items are worked on in their order, also those whose work waits', async () => {
  const results = await inTurns(new Set(['a', 'b', 'c']), async (item, index) => {
    if (index === 0) await new Promise(setImmediate);
    return `${index}${item}`;
  });
  expect(results).toEqual(['0a', '1b', '2c']);
  expect(await inTurns([], () => 1)).toEqual([]);
});

test('the first failure ends the work', async () => {
  const seen: number[] = [];
  const work = inTurns([1, 2, 3], (item) => {
    seen.push(item);
    if (item === 2) throw new Error('wrong');
  });
  await expect(work).rejects.toThrow('wrong');
  expect(seen).toEqual([1, 2]);
});

test('long work gives way after each item, and short work does not', async () => {
  expect(await turnsOf(inTurns([1, 2, 3, 4, 5], () => workFor(LONG_MS)))).toBeGreaterThanOrEqual(3);
  expect(await turnsOf(inTurns(Array.from({ length: 100 }), () => {}))).toBeLessThanOrEqual(1);
});

test('one item gives way while it is worked on', async () => {
  const work = inTurns(['one'], async () => {
    for (let part = 0; part < 4; part++) {
      if (isTurnOver()) await giveWay();
      workFor(LONG_MS);
    }
  });
  expect(await turnsOf(work), 'turns between the first pause and the third').toBeGreaterThanOrEqual(2);
});

test('many that give way share a turn, and each goes on', async () => {
  let inThisTurn = 0;
  let most = 0;
  const newTurn = () => {
    most = Math.max(most, inThisTurn);
    inThisTurn = 0;
  };
  const requests = Array.from({ length: 8 }, () =>
    inTurns([1, 2, 3], () => {
      inThisTurn++;
      workFor(LONG_MS);
    }),
  );
  newTurn(); // the first item of each waits for nobody
  most = 0;
  let isOver = false;
  const count = () => {
    newTurn();
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all(requests);
  isOver = true;
  expect(most).toBe(1);
});
