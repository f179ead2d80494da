import { describe, expect, vi } from 'vitest';
import { PrinterWatch } from '#services/api/labels/printer-watch.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { test as services } from '#test/fixtures/services.ts';
import { scrape } from '#test/fixtures/telemetry/metrics.ts';

type Heartbeat = { id: string; labels: number };

/** `clock` moves time; `workers` are those whose heartbeats are in Redis, or why they cannot be read. */
const test = services.extend('watched', () => {
  const clock = { ms: 0 };
  const state: { workers: Heartbeat[] | Error } = { workers: [] };
  const read = vi.fn(async () => {
    if (state.workers instanceof Error) throw state.workers;
    return state.workers;
  });
  const log = { info: vi.fn(), warn: vi.fn() };
  const watch = new PrinterWatch({ read, timeoutMs: 10_000, log, now: () => clock.ms });
  /** Asks for a label that does not wait long. */
  const refuses = async () => {
    const waits = await watch.enter();
    if (waits) watch.leave();
    return !waits;
  };
  return { clock, state, read, log, watch, refuses };
});

describe('where no worker is alive', () => {
  test('labels wait for seven seconds, and are then refused until one is', async ({ watched }) => {
    const { clock, state, refuses, log } = watched;
    clock.ms = 7_000;
    expect(await refuses()).toBe(false);
    clock.ms = 7_001;
    expect(await refuses()).toBe(true);
    expect(await refuses()).toBe(true);
    expect(log.warn.mock.calls).toEqual([['Labels are refused: no label worker is alive']]);
    state.workers = [{ id: 'w', labels: 0 }];
    expect(await refuses()).toBe(false);
    expect(log.info).toHaveBeenCalledTimes(1);
  });

  test('but labels are finished, they are not refused', async ({ watched: { clock, watch, refuses } }) => {
    clock.ms = 20_000;
    watch.finished();
    clock.ms = 27_000;
    expect(await refuses()).toBe(false);
  });

  test('as Redis does not tell, they are not refused, nor for seven seconds after it does', async ({
    watched: { clock, state, refuses },
  }) => {
    state.workers = new Error('Redis is away');
    clock.ms = 30_000;
    expect(await refuses()).toBe(false);
    state.workers = []; // the first heartbeat after an outage is still to come
    clock.ms = 37_000;
    expect(await refuses()).toBe(false);
    clock.ms = 37_001;
    expect(await refuses()).toBe(true);
  });

  test('the heartbeats are not read for each label that may wait', async ({ watched: { read, refuses } }) => {
    for (let i = 0; i < 100; i++) expect(await refuses()).toBe(false);
    expect(read).not.toHaveBeenCalled();
  });
});

describe('where workers are alive and finish nothing', () => {
  const alive = { id: 'w', labels: 7 };

  test('labels are refused while two wait for eight seconds, then one at a time waits', async ({
    watched,
  }) => {
    const { clock, state, watch, refuses, log } = watched;
    state.workers = [alive];
    clock.ms = 1;
    await refuses();
    await watch.enter();
    await watch.enter();
    clock.ms = 8_001;
    // The first reading of the heartbeats is itself a sign of the worker.
    expect(await refuses()).toBe(false);
    clock.ms = 16_002;
    expect(await refuses()).toBe(true);
    expect(log.warn.mock.calls).toEqual([
      ['Labels are refused: no label worker has finished anything for 8000 ms'],
    ]);
    watch.leave();
    watch.leave();
    expect(await refuses()).toBe(false);
    await watch.enter();
    expect(await refuses()).toBe(true);
    watch.finished();
    expect(await refuses()).toBe(false);
  });

  test('one label at a time finds out, also of those that come at once; the log tells of no recovery before', async ({
    watched: { clock, state, watch, refuses, log },
  }) => {
    state.workers = [alive];
    await watch.enter();
    await watch.enter();
    clock.ms = 8_001;
    expect(await refuses()).toBe(false); // reads the heartbeats for the first time
    clock.ms = 16_002;
    watch.leave();
    watch.leave();
    expect(await Promise.all([watch.enter(), watch.enter(), watch.enter()])).toEqual([true, false, false]);
    expect(log.info).not.toHaveBeenCalled();
    watch.finished();
    expect(await watch.enter()).toBe(true);
    expect(log.info.mock.calls).toEqual([['Labels are no longer refused for lack of a worker']]);
  });

  test('one label alone makes no verdict: it may be to blame itself', async ({ watched }) => {
    const { clock, state, watch, refuses } = watched;
    state.workers = [alive];
    await watch.enter();
    clock.ms = 60_000;
    expect(await refuses()).toBe(false);
    clock.ms = 120_000;
    expect(await refuses()).toBe(false);
  });

  test('a label of another process is a sign of work', async ({
    watched: { clock, state, watch, refuses },
  }) => {
    state.workers = [alive];
    await watch.enter();
    await watch.enter();
    for (let labels = 8; labels < 20; labels++) {
      clock.ms += 9_000;
      state.workers = [{ id: 'w', labels }];
      expect(await refuses()).toBe(false);
    }
  });
});

test('a label that no worker would print is our 503 at once, and is printed when a worker comes', async ({
  startApi,
  startLabelWorker,
}) => {
  const api = await startApi({ LABEL_TIMEOUT_MS: '500' });
  const demo = await Client.login(api.url);
  const [guide] = await demo.created(minimalGuide());
  const label = () => demo.get(`/api/guias/etiqueta/${guide?.SEND_GUIA}`);
  await expect.poll(async () => (await label()).status, { timeout: 20_000 }).toBe(503);

  const began = performance.now();
  const { status, headers, body } = await label();
  expect(performance.now() - began).toBeLessThan(400);
  expect(status).toBe(503);
  expect(headers.get('retry-after')).toBe('2');
  expect(body).toEqual({
    response: 'ERROR',
    message: 'Servicio no disponible, intente de nuevo',
    codigo: 'servicio_no_disponible',
    requestId: expect.any(String),
  });
  const refused = 'label_failures_total{reason="no_worker"}';
  expect((await scrape(api.url)).get(refused)).toBeGreaterThanOrEqual(2);

  await startLabelWorker();
  await expect.poll(async () => (await label()).status).toBe(200);
});
