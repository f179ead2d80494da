import { describe, expect, vi } from 'vitest';
import { adjusters } from '#services/api/quotes/adjustment.ts';
import { CurrentTariff } from '#services/api/quotes/tariffs/current-tariff.ts';
import type { TariffFile } from '#services/api/quotes/tariffs/tariff-files.ts';
import { TariffStore } from '#services/api/quotes/tariffs/tariff-store.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { connectMongo } from '#shared/stores/mongo.ts';
import { test as base } from '#test/fixtures/stores.ts';
import { demoFolder } from './demo-tariff.ts';

const clockAhead = (ms: number) => {
  const estimate = () => Date.now() + ms;
  return { now: async () => new Date(estimate()), estimate };
};
const clock = clockAhead(0);
/** The log of tariffs, empty. */
const test = base.extend('store', async ({ stores }) => {
  await stores.mongo.collection('tariffs').deleteMany({});
  return new TariffStore(stores.mongo);
});
const version = (from: number) => ({ folder: demoFolder, from: new Date(from), by: 'ana' });

describe('the tariff in force', () => {
  test('is unavailable until it is read, and then may be none', async ({ store }) => {
    const tariffs = new CurrentTariff(store, clock);
    expect(() => tariffs.at(Date.now())).toThrow(new DomainError('unavailable'));
    expect(() => tariffs.isWithdrawn(1)).toThrow(new DomainError('unavailable'));
    await tariffs.look();
    expect(tariffs.at(Date.now())).toBeUndefined();
  });

  test('is waited for by a process that has just started, but not for ever', async ({ store }) => {
    const tariffs = new CurrentTariff(store, clock);
    await tariffs.firstLook(1);
    const known = tariffs.firstLook(3_600_000);
    await tariffs.look();
    await known;
  });

  test('changes in every process at the moment from which a version is in force', async ({ store }) => {
    const [begins, later] = [Date.now() + 3_600_000, Date.now() + 7_200_000];
    await store.add(0, version(Date.now() - 1));
    const processes = [new CurrentTariff(store, clock), new CurrentTariff(store, clock)];
    await processes[0]?.look();
    await store.add(1, version(begins));
    await store.add(2, version(later));
    for (const tariffs of processes) {
      await tariffs.look();
      expect(tariffs.nextBegins(Date.now())).toBe(begins);
      // Also of an outage that lasts beyond several beginnings.
      expect([begins - 1, begins, later].map((moment) => tariffs.at(moment)?.version)).toEqual([1, 2, 3]);
    }
  });

  test.for([
    ['a word', 'recargos.csv', (text: string) => text.replace(',siempre,', ',domingos,')],
    ['a column', 'precios.csv', (text: string) => text.replace('KgExtra', 'Temporada')],
    ['a file', 'descuentos.csv', () => 'Cuenta,Descuento\ndemo,50\n'],
  ] as const)(
    'is unavailable, rather than wrong, with %s of a later release',
    async ([_, file, change], { store }) => {
      const name = file as TariffFile;
      const later = change(demoFolder.get(name)?.toString() ?? '');
      const folder = new Map([...demoFolder, [name, Buffer.from(later)]]);
      await store.add(0, version(Date.now() - 2_000));
      await store.add(1, { ...version(Date.now() - 1_000), folder });
      const tariffs = new CurrentTariff(store, clock);
      await tariffs.look();
      expect(() => tariffs.at(Date.now())).toThrow(new DomainError('unavailable'));
      expect(await tariffs.of(2)).toBeUndefined();
    },
  );

  test('is read for all who ask at once for more former versions than are kept', async ({ store }) => {
    const numbers = [1, 2, 3, 4, 5, 6];
    for (const number of numbers) {
      const limit = `MaximoKg,${number}`;
      const text = demoFolder.get('parametros.csv')?.toString().replace('MaximoKg,70', limit) ?? '';
      const folder = new Map([...demoFolder, ['parametros.csv' as TariffFile, Buffer.from(text)]]);
      await store.add(number - 1, { ...version(Date.now()), folder });
    }
    const tariffs = new CurrentTariff(store, clock);
    const found = await Promise.all([...numbers, 99].map((number) => tariffs.of(number)));
    expect(found.map((tariff) => tariff?.parameters.maxGrams)).toEqual([
      ...numbers.map((number) => 1_000 * number),
      undefined,
    ]);
  });

  test('is read once for a batch of weighed guides, in whatever order their versions come', async ({
    store,
  }) => {
    const numbers = [1, 2, 3, 4, 5, 6];
    for (const number of numbers) await store.add(number - 1, version(Date.now()));
    const parcel = { grams: 1_000, packages: 1 };
    const guides = [...numbers, ...numbers].map((number, i) => ({
      ...{ _id: `guide ${i}`, unquoted: { version: number, total: 1 }, priced: { account: 'demo', parcel } },
    }));
    const folder = vi.spyOn(store, 'folder');
    const found = await adjusters(new CurrentTariff(store, clock))(guides as unknown as GuideDocument[]);
    expect([...found.keys()].sort()).toEqual(guides.map(({ _id }) => _id).sort());
    expect(folder.mock.calls.flat()).toEqual(numbers);
  });

  test('begins by the clock of the database, whatever that of the process is', async ({ store }) => {
    const ahead = new CurrentTariff(store, clockAhead(-120_000));
    await store.add(0, version(Date.now() - 200_000));
    await store.add(1, version(Date.now() - 60_000));
    await ahead.look();
    expect(ahead.at(ahead.now())?.version).toBe(1);
  });

  test('falls back to the version before a withdrawn one', async ({ store }) => {
    const tariffs = new CurrentTariff(store, clock);
    await store.add(0, version(Date.now() - 2_000));
    await store.add(1, version(Date.now() - 1_000));
    await tariffs.look();
    expect([tariffs.at(Date.now())?.version, tariffs.isWithdrawn(2)]).toEqual([2, false]);
    await store.withdraw(2, 2, 'ana');
    await tariffs.look();
    expect([tariffs.at(Date.now())?.version, tariffs.isWithdrawn(2)]).toEqual([1, true]);
  });

  test('is known to be withdrawn before a new version is read, which may take seconds', async ({ store }) => {
    const tariffs = new CurrentTariff(store, clock);
    await store.add(0, version(Date.now() - 2_000));
    await tariffs.look();
    await store.withdraw(1, 1, 'ana');
    await store.add(2, version(Date.now() - 1_000));
    const [asked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const folder = store.folder.bind(store);
    vi.spyOn(store, 'folder').mockImplementation(async (number) => {
      asked.resolve();
      await held.promise;
      return folder(number);
    });
    const looking = tariffs.look();
    await asked.promise;
    expect(tariffs.isWithdrawn(1)).toBe(true);
    held.resolve();
    await looking;
  });

  test('stays what it was while MongoDB is away', async ({ stores, store }) => {
    await store.add(0, version(Date.now() - 1));
    const connection = await connectMongo(stores.mongoUri, createLogger('test', 'silent'));
    const tariffs = new CurrentTariff(new TariffStore(connection), clock);
    await tariffs.look();
    await connection.close();
    await expect(tariffs.look()).rejects.toThrow();
    expect(tariffs.at(Date.now())?.version).toBe(1);
  });
});
