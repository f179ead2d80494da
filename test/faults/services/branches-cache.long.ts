import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { freePort } from '#local/process/free-port.ts';
import { type OwnedProcess, startProcess } from '#local/process/owned-process.ts';
import { waitUntilReady } from '#local/process/wait-until-ready.ts';
import { BranchStore } from '#services/branches/branch-store.ts';
import { call } from '#test/fixtures/client.ts';
import { INTERNAL_TOKEN, test as services } from '#test/fixtures/services.ts';
import type { Stores } from '#test/fixtures/stores.ts';

/** Two real processes of the service on one Redis and one database. */

const resolve = (url: string) =>
  call(`${url}/internal/resolve`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-internal-token': INTERNAL_TOKEN },
    body: JSON.stringify({ origins: ['MEX01'], destinations: [{ postalCode: '64000' }, { code: 'TIJ01' }] }),
  });

const test = services.extend(
  'processes',
  { scope: 'file' },
  async ({ env, stores, folder }, { onCleanup }) => {
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
  },
);

/** Resolves once the cache has what is in force in the database. */
const filled = ({ redis, mongo, prefix }: Stores) =>
  vi.waitFor(
    async () => {
      const version = await new BranchStore(mongo).version();
      expect(await redis.hget(`${prefix}:branches`, 'version')).toBe(version);
    },
    { timeout: 10_000, interval: 20 },
  );

describe('a cache that Redis has lost', () => {
  test('costs no request of either process, and is filled again', async ({ processes, stores }) => {
    await filled(stores);
    await stores.redis.del(`${stores.prefix}:branches`);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => resolve(processes[index % 2]?.url ?? '')),
    );
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(body).toMatchObject({
        origins: [{ Codigo: 'MEX01' }],
        destinations: [{ Codigo: 'MTY01' }, null],
      });
    }
    await filled(stores);
  });

  test('is filled by the process that is left when the other is killed', async ({ processes, stores }) => {
    processes[1]?.process.kill('SIGKILL');
    await processes[1]?.process.ended;
    await stores.redis.del(`${stores.prefix}:branches`);
    expect((await resolve(processes[0]?.url ?? '')).status).toBe(200);
    await filled(stores);
  });
});
