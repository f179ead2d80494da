import { expect, test } from 'vitest';
import { UploadTurns } from '#services/api/evidence/upload-turns.ts';

const here = new AbortController().signal;
const turns = (waitMs = 60_000) => new UploadTurns({ maxBytes: 10, waitMs, retryAfterS: 10 });
/** Says whether a turn has begun. */
async function hasBegun(turn: Promise<unknown>): Promise<boolean> {
  return (await Promise.race([turn.then(() => 'begun'), new Promise((r) => setImmediate(r))])) === 'begun';
}

test('uploads take turns by their bytes, in order', async () => {
  const all = turns();
  const end = await all.take(6, here);
  const [large, small] = [all.take(5, here), all.take(1, here)];
  expect(await Promise.all([hasBegun(large), hasBegun(small)])).toEqual([false, false]); // the small one overtakes nobody
  end();
  expect(await Promise.all([hasBegun(large), hasBegun(small)])).toEqual([true, true]);
});

test('an upload that is larger than all turns together has one alone', async () => {
  const all = turns();
  const end = await all.take(1, here);
  const huge = all.take(20, here);
  expect(await hasBegun(huge)).toBe(false);
  end();
  expect(await hasBegun(huge)).toBe(true);
});

test('one that waits too long, or whose client leaves, is refused, and those behind it go on', async () => {
  const all = turns(20);
  await all.take(6, here);
  const leaving = new AbortController();
  const [late, left] = [all.take(9, here), all.take(9, leaving.signal)];
  leaving.abort();
  await expect(left).rejects.toMatchObject({ code: 'overloaded' });
  await expect(late).rejects.toMatchObject({ code: 'overloaded', params: { seconds: 10 } });
  expect(await hasBegun(all.take(4, here))).toBe(true);
});
