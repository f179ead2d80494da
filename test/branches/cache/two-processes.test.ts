import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { freePort } from '#local/process/free-port.ts';
import { type OwnedProcess, startProcess } from '#local/process/owned-process.ts';
import { waitUntilReady } from '#local/process/wait-until-ready.ts';
import { call } from '#test/fixtures/client.ts';
import { INTERNAL_TOKEN, test as services } from '#test/fixtures/services.ts';

/** Two real processes of the service on one Redis and one database. */

const resolve = (url: string) =>
  call(`${url}/internal/resolve`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-internal-token': INTERNAL_TOKEN },
    body: JSON.stringify({ origin: 'MEX01', destinations: [{ postalCode: '64000' }, { code: 'TIJ01' }] }),
  });

const test = services
  .extend('processes', { scope: 'file' }, async ({ env, stores, folder }, { onCleanup }) => {
    const processes: { url: string; process: OwnedProcess }[] = [];
    onCleanup(async () => {
      for (const { process } of processes) await process.stop();
    });
    const start = async (name: string) => {
      const port = await freePort();
      const url = `http://127.0.0.1:${port}`;
      const service = startProcess({
        name,
        command: [process.execPath, 'services/branches/main.ts'],
        env: {
          ...process.env,
          ...env,
          REDIS_URL: stores.redisUrls.branches,
          LOG_LEVEL: 'info',
          PORT: String(port),
        },
        logFile: join(folder, `${name}.log`),
      });
      processes.push({ url, process: service });
      await waitUntilReady(service, async () => (await call(`${url}/health/ready`)).status === 200, 20_000);
    };
    await Promise.all(['first', 'second'].map(start));
    return processes;
  })
  /** Counts the rebuilds of the cache so far, by both. */
  .extend('rebuilds', { scope: 'file' }, ({ processes }) => async () => {
    const logs = await Promise.all(processes.map(({ process }) => readFile(process.logFile, 'utf8')));
    return logs.join('').split('Rebuilt the branch cache').length - 1;
  });

describe('a cold cache', () => {
  test('is filled once when two processes start on it', async ({ rebuilds }) => {
    expect(await rebuilds()).toBe(1);
  });

  test.for([1, 2, 3])(
    'is refilled by one process while all requests of both wait (loss %d)',
    async (_, { processes, rebuilds, stores }) => {
      const before = await rebuilds();
      await stores.redis.del(`${stores.prefix}:branches`);
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, index) => resolve(processes[index % 2]?.url ?? '')),
      );
      for (const { status, body } of answers) {
        expect(status).toBe(200);
        expect(body).toMatchObject({
          origin: { Codigo: 'MEX01' },
          destinations: [{ Codigo: 'MTY01' }, null],
        });
      }
      expect(await rebuilds()).toBe(before + 1);
    },
  );

  test('is refilled by the process that is left when the other is killed', async ({ processes, stores }) => {
    processes[1]?.process.kill('SIGKILL');
    await processes[1]?.process.ended;
    await stores.redis.del(`${stores.prefix}:branches`);
    expect((await resolve(processes[0]?.url ?? '')).status).toBe(200);
  });
});
