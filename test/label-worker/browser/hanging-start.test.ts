import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, vi } from 'vitest';
import { aliveWorkers } from '#shared/stores/heartbeat.ts';
import { test as servicesTest } from '#test/fixtures/services.ts';
import { scrape } from '#test/fixtures/telemetry/metrics.ts';

/** A label worker with a Chromium of which the next start hangs; `goOn` lets the one after that start. */
const test = servicesTest.extend('hung', async ({ startLabelWorker }, { onCleanup }) => {
  const folder = mkdtempSync(join(tmpdir(), 'test-'));
  onCleanup(() => rmSync(folder, { recursive: true }));
  const [path, pids, hang] = ['chromium', 'pids', 'hang'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const wait = `[ ! -f '${hang}' ] || exec sleep 1000`;
  writeFileSync(path, `#!/bin/sh\necho $$ >> '${pids}'\n${wait}\nexec '${inject('chromiumPath')}' "$@"\n`);
  chmodSync(path, 0o755);
  const worker = await startLabelWorker({ CHROMIUM_PATH: path });
  const killLast = () =>
    process.kill(-Number(readFileSync(pids, 'utf8').trim().split('\n').at(-1)), 'SIGKILL');
  writeFileSync(hang, '');
  killLast();
  return {
    url: worker.url,
    goOn() {
      rmSync(hang);
      killLast();
    },
  };
});

test('while a start of Chromium hangs, the worker says so in all places', async ({ hung, stores }) => {
  const isDown = async () =>
    expect((await scrape(hung.url)).get('dependency_up{dependency="chromium"}')).toBe(0);
  await vi.waitFor(isDown, { timeout: 30_000 });
  const series = await scrape(hung.url);
  expect(series.get('chromium_starts_total{reason="failed"}')).toBe(1);
  for (const name of ['age_seconds', 'prints', 'memory_bytes'])
    expect(series.has(`chromium_${name}`)).toBe(false);
  const ready = await fetch(`${hung.url}/health/ready`);
  expect([ready.status, await ready.json()]).toEqual([503, expect.objectContaining({ chromium: 'down' })]);
  expect((await fetch(`${hung.url}/health/live`)).status).toBe(200);

  const heartbeat = () =>
    vi.waitFor(
      async () => {
        const [worker] = await aliveWorkers(stores.redis, stores.prefix);
        expect(worker?.chromium).toMatchObject({ state: 'starting', prints: 0 });
        expect(Date.now() - (worker?.chromium.since ?? 0)).toBeLessThan(60_000);
      },
      { timeout: 30_000 },
    );
  await heartbeat();
  // It goes on past the moment when the last one from before would have expired.
  await stores.redis.del(await stores.redis.keys(`${stores.prefix}:worker:*`));
  await heartbeat();

  hung.goOn();
  const isUp = async () =>
    expect((await scrape(hung.url)).get('dependency_up{dependency="chromium"}')).toBe(1);
  await vi.waitFor(isUp, { timeout: 30_000 });
  expect((await scrape(hung.url)).get('chromium_starts_total{reason="failed"}')).toBe(2);
});
