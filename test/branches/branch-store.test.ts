import { mongo } from 'mongoose';
import { expect, vi } from 'vitest';
import { BranchStore } from '#shared/branches/branch-store.ts';
import { test } from '#test/fixtures/stores.ts';

/** What holds a load up on its way to the database. */
type Collection = mongo.Collection<mongo.Document>;
const prototype = mongo.Collection.prototype as Collection;

test('of two loads at once the one that ends first is in force, and the other says so', async ({
  stores,
}) => {
  const store = new BranchStore(stores.mongo);
  const { branches, coverage } = await store.snapshot();
  const [first, late] = ['Primera', 'Tardía'].map((Nombre) => branches.map((one) => ({ ...one, Nombre })));
  for (const [other, names] of [
    [() => store.loadBranches(first ?? []), ['Primera']],
    // Losses are of both together, and each is read with the other.
    [() => store.loadCoverage(coverage), ['Primera']],
  ] as const) {
    const held = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    const insertMany = prototype.insertMany;
    const spy = vi.spyOn(prototype, 'insertMany').mockImplementationOnce(async function (
      this: Collection,
      ...given
    ) {
      reached.resolve();
      await held.promise;
      return insertMany.apply(this, given);
    });
    const second = store.loadBranches(late ?? []).catch((error) => error);
    await reached.promise;
    await other();
    held.resolve();
    expect(await second).toMatchObject({ code: 'directory-changed' });
    spy.mockRestore();
    expect(new Set((await store.snapshot()).branches.map(({ Nombre }) => Nombre))).toEqual(new Set(names));
  }
  await store.loadBranches(branches);
});

test('a load replaces rows that have its number, as after a restore of a part', async ({ stores }) => {
  const store = new BranchStore(stores.mongo);
  const { branches } = await store.snapshot();
  const counter = await stores.mongo.collection<{ _id: string; last: number }>('generations').findOne({
    _id: 'counter',
  });
  const generation = (counter?.last ?? 0) + 1;
  const left = [...branches.slice(0, 1), { Codigo: 'GONE1' }].map((branch) => ({
    _id: `${generation}:${branch.Codigo}`,
    generation,
    branch,
  }));
  await stores.mongo.collection<{ _id: string }>('branches').insertMany(left);
  await store.loadBranches(branches);
  expect((await store.directory()).branches).toMatchObject({ found: branches.length, rows: branches.length });
});
