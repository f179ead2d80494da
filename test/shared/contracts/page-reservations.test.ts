import { expect } from 'vitest';
import { isReserved, pageReservations, type Reservation } from '#shared/contracts/page-reservations.ts';
import { test } from '#test/fixtures/stores.ts';

test('a refusal gives the pages back whose time is over', async ({ stores: { redis, prefix } }) => {
  const short = pageReservations(redis, prefix, 500);
  const long = pageReservations(redis, prefix, 60_000);
  const { reservation: ended } = await short.reserve('a', 60, 150);
  const { reservation: lasting } = await long.reserve('a', 60, 150);
  await expect.poll(() => isReserved(redis, prefix, ended as Reservation), { timeout: 5_000 }).toBe(false);
  expect(await long.reserve('a', 100, 150)).toEqual({ reservation: undefined, inFlight: 60 });
  const { reservation, inFlight } = await long.reserve('a', 90, 150);
  expect([reservation?.account, inFlight]).toEqual(['a', 60]);
  for (const held of [lasting, reservation]) await long.release(held as Reservation);
  expect((await long.reserve('a', 1, 150)).inFlight).toBe(0);
});
