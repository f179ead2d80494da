import { pino } from 'pino';
import { Registry } from 'prom-client';
import { describe, expect } from 'vitest';
import { ROOMS } from '#services/api/app.ts';
import { personalTexts } from '#services/api/platform/personal-data.ts';
import { erasePerson, exportPerson, type Walk } from '#services/api/privacy/person-data.ts';
import { personSearch } from '#services/api/privacy/person-search.ts';
import { Retention } from '#services/api/privacy/retention.ts';
import { DatabaseClock } from '#shared/stores/database-clock.ts';
import { newRecord } from '#test/bench/load/guides.ts';
import { storedOf } from '#test/fixtures/stored.ts';
import { test as stores } from '#test/fixtures/stores.ts';

/**
 * A text that names somebody, of each room that has such texts: `test/api/<room>/stored.ts` stores one. It is exported, and
 * erasure and retention leave the name nowhere in the room's collections.
 */

const DAY_MS = 24 * 3_600_000;
const PERSON = 'Íñigo Peña';

const rooms = ROOMS.flatMap(({ data, personalData }) => {
  if (personalData === 'none') return [];
  const texts = personalTexts([personalData]);
  const fields = [...texts.besideGuides, ...texts.ofAccounts].map(({ field }) => field);
  const collections = data.collections === 'none' ? [] : data.collections.map(({ name }) => name);
  return fields.length > 0 ? [{ name: data.name, texts, fields, collections }] : [];
});

describe.each(rooms)('the texts of $name', ({ name, texts, fields, collections }) => {
  const test = stores
    /** Stores a text as old as this. */
    .extend('store', ({ stores: { mongo } }) => async (days: number) => {
      const record = newRecord();
      await mongo.collection('guides').insertOne(record as never);
      const at = new Date(Date.now() - days * DAY_MS);
      const { _id: guide, account } = record;
      await (await storedOf(name)).namingPerson?.(mongo, { guide, account, person: PERSON, at });
    })
    .extend('walk', ({ stores: { mongo } }): Walk => {
      return { mongo, texts, search: personSearch('nombre', PERSON), onProgress: () => {} };
    })
    /** Returns how many documents of the room name the person. */
    .extend('naming', ({ stores: { mongo } }) => async () => {
      const { naming } = await storedOf(name);
      if (naming) return naming(mongo);
      const documents = await Promise.all(collections.map((name) => mongo.collection(name).find().toArray()));
      return documents.flat().filter((document) => JSON.stringify(document).includes(PERSON)).length;
    });

  test('are exported, and erased', async ({ naming, store, walk }) => {
    await store(0);
    expect(await naming(), `namingPerson of test/api/${name}/stored.ts must store one`).toBe(1);
    let exported = '';
    for await (const part of exportPerson(walk)) exported += part;
    expect(fields.filter((field) => exported.includes(`"${field}":[`))).toEqual(fields);
    await erasePerson(walk);
    expect(await naming()).toBe(0);
  });

  test('lose the name once they are old', async ({ naming, store, stores: { mongo, redis, prefix } }) => {
    for (const days of [1, 91]) await store(days);
    expect(await naming()).toBe(2);
    const parts = {
      clock: new DatabaseClock(mongo),
      log: pino({ level: 'silent' }),
      metrics: new Registry(),
    };
    await new Retention({ mongo, redis, prefix, texts, days: 90, ...parts }).runIfDue();
    expect(await naming()).toBe(1);
  });
});
