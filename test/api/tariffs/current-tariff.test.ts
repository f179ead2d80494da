import { describe, expect } from 'vitest';
import { CurrentTariff } from '#services/api/tariffs/current-tariff.ts';
import { TariffStore } from '#services/api/tariffs/tariff-store.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { connectMongo } from '#shared/stores/mongo.ts';
import { test as base } from '#test/fixtures/stores.ts';
import { demoFolder } from './demo-tariff.ts';

/** The log of tariffs, empty. */
const test = base.extend('store', async ({ stores }) => {
  await stores.mongo.collection('tariffs').deleteMany({});
  return new TariffStore(stores.mongo);
});
const version = (from: number) => ({ folder: demoFolder, from: new Date(from), by: 'ana' });

describe('the tariff in force', () => {
  test('is unavailable until it is read, and then may be none', async ({ store }) => {
    const tariffs = new CurrentTariff(store);
    expect(() => tariffs.at(Date.now())).toThrow(new DomainError('unavailable'));
    expect(() => tariffs.isWithdrawn(1)).toThrow(new DomainError('unavailable'));
    await tariffs.look(Date.now());
    expect(tariffs.at(Date.now())).toBeUndefined();
  });

  test('changes in every process at the moment from which a version is in force', async ({ store }) => {
    const begins = Date.now() + 3_600_000;
    await store.add(0, version(Date.now() - 1));
    const processes = [new CurrentTariff(store), new CurrentTariff(store)];
    await processes[0]?.look(Date.now());
    await store.add(1, version(begins));
    for (const tariffs of processes) {
      await tariffs.look(Date.now());
      expect(tariffs.nextBegins(Date.now())).toBe(begins);
      expect([begins - 1, begins].map((moment) => tariffs.at(moment)?.version)).toEqual([1, 2]);
    }
  });

  test('falls back to the version before a withdrawn one', async ({ store }) => {
    const tariffs = new CurrentTariff(store);
    await store.add(0, version(Date.now() - 2_000));
    await store.add(1, version(Date.now() - 1_000));
    await tariffs.look(Date.now());
    expect([tariffs.at(Date.now())?.version, tariffs.isWithdrawn(2)]).toEqual([2, false]);
    await store.withdraw(2, 2, 'ana');
    await tariffs.look(Date.now());
    expect([tariffs.at(Date.now())?.version, tariffs.isWithdrawn(2)]).toEqual([1, true]);
  });

  test('stays what it was while MongoDB is away', async ({ stores, store }) => {
    await store.add(0, version(Date.now() - 1));
    const connection = await connectMongo(stores.mongoUri, createLogger('test', 'silent'));
    const tariffs = new CurrentTariff(new TariffStore(connection));
    await tariffs.look(Date.now());
    await connection.close();
    await expect(tariffs.look(Date.now())).rejects.toThrow();
    expect(tariffs.at(Date.now())?.version).toBe(1);
  });
});
