import { expect } from 'vitest';
import { floodAsCustomer } from '#test/bench/load/greedy-client.ts';
import { atRate } from '#test/bench/load/load.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { test as faultTest } from '../system/system.ts';
import { keepFigures } from './under-load.ts';

/** Labels a second of the customer who asks for little. */
const RATE = 4;
/** How long it lasts. */
const SECONDS = 180;

/** A customer takes all that is given, over 150 connections; another one is served as if nobody else were there. */
const test = faultTest.extend('wanted', { own: ['redis'] });

test.for(['labels', 'guides', 'logins'] as const)(
  'a flood of %s by one account costs another neither a label, a guide nor a login',
  async (kind, { system }) => {
    await system.store.config('SET', 'maxmemory', '230mb');
    const greedy = await floodAsCustomer({ url: system.url, kind, connections: 150, seconds: SECONDS });
    const slots = Array.from({ length: RATE * SECONDS }, (_, i) => i);
    const wrong: unknown[] = [];
    const load = await atRate(slots, RATE, async () => {
      const customer = await Client.login(system.url, 'demo');
      const [guide] = await customer.created(minimalGuide());
      const { status, bytes } = await customer.pdf(`/api/guias/etiqueta/${guide?.SEND_GUIA}`);
      if (status !== 200) wrong.push([status, bytes.toString()]);
    });
    const statuses = await greedy.ended;
    const ended = performance.now();
    const customer = await Client.login(system.url, 'demo');
    const after = await Promise.all(
      (await customer.created(...Array.from({ length: 20 }, () => minimalGuide()))).map(({ SEND_GUIA }) =>
        customer.pdf(`/api/guias/etiqueta/${SEND_GUIA}`),
      ),
    );
    const slowestMs = Math.round(Math.max(...load.latencies));
    const afterMs = Math.round(performance.now() - ended);
    keepFigures({ fault: `one account floods with ${kind}`, statuses, slowestMs, afterMs });
    expect(wrong).toEqual([]);
    expect(after.map(({ status }) => status)).toEqual(after.map(() => 200));
    // What is too much is refused: beyond the account's share, or where the printers are too slow for its share.
    expect(['200', '401', '429', '503']).toEqual(expect.arrayContaining(Object.keys(statuses)));
    expect(statuses).toHaveProperty('429');
    expect(afterMs).toBeLessThan(5_000);
  },
);
