import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '#local/process/free-port.ts';
import { type OwnedProcess, startProcess } from '#local/process/owned-process.ts';
import { waitUntilReady } from '#local/process/wait-until-ready.ts';
import { call } from '#test/fixtures/client.ts';
import { freshStores } from '#test/fixtures/old-services.ts';
import { INTERNAL_TOKEN } from '#test/fixtures/services.ts';

// Two real processes of the service on one Redis and one database.
let stores: Awaited<ReturnType<typeof freshStores>>;
let folder: string;
const services: { url: string; process: OwnedProcess }[] = [];

beforeAll(async () => {
  stores = await freshStores();
  folder = await mkdtemp(join(tmpdir(), 'branches-'));
  services.push(...(await Promise.all(['first', 'second'].map(start))));
});
afterAll(async () => {
  for (const { process } of services) await process.stop();
  await stores.close();
  await rm(folder, { recursive: true });
});

async function start(name: string) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const service = startProcess({
    name,
    command: [process.execPath, 'services/branches/main.ts'],
    env: { ...process.env, ...stores.env, LOG_LEVEL: 'info', PORT: String(port) },
    logFile: join(folder, `${name}.log`),
  });
  await waitUntilReady(service, async () => (await call(`${url}/health/ready`)).status === 200, 20_000);
  return { url, process: service };
}

const resolve = (url: string) =>
  call(`${url}/internal/resolve`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-internal-token': INTERNAL_TOKEN },
    body: JSON.stringify({ origin: 'MEX01', destinations: [{ postalCode: '64000' }, { code: 'TIJ01' }] }),
  });

async function rebuilds(): Promise<number> {
  const logs = await Promise.all(services.map(({ process }) => readFile(process.logFile, 'utf8')));
  return logs.join('').split('Rebuilt the branch cache').length - 1;
}

describe('a cold cache', () => {
  it('was filled once by two processes that started on it', async () => {
    expect(await rebuilds()).toBe(1);
  });

  it.each([1, 2, 3])('is filled by one process while all requests of both wait (loss %d)', async () => {
    const before = await rebuilds();
    await stores.redis.del(`${stores.prefix}:branches`);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => resolve(services[index % 2]?.url ?? '')),
    );
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(body).toMatchObject({ origin: { Codigo: 'MEX01' }, destinations: [{ Codigo: 'MTY01' }, null] });
    }
    expect(await rebuilds()).toBe(before + 1);
  });

  it('is filled by the one that is left when the other was killed', async () => {
    services[1]?.process.kill('SIGKILL');
    await services[1]?.process.ended;
    await stores.redis.del(`${stores.prefix}:branches`);
    expect((await resolve(services[0]?.url ?? '')).status).toBe(200);
  });
});
