import { expect, test } from 'vitest';
import { PrintSlots } from '#services/label-worker/batching/print-slots.ts';

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
