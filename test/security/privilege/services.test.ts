import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { describe, expect, vi } from 'vitest';
import { provideRedis } from '#local/programs/redis.ts';
import { generateSecrets, type Secrets } from '#local/secrets.ts';
import { startSystem } from '#local/system.ts';
import { minimalGuide } from '#test/fixtures/client.ts';
import { Visitor } from '#test/fixtures/dashboard/visitor.ts';
import { test as systemTest } from '#test/fixtures/system.ts';
import { SECRETS } from '#test/ops/settings.ts';

/** The services as `npm start` runs them: on a Redis with its file of users, each with its own password. */

const test = systemTest
  .override('secrets', () => generateSecrets())
  .extend('redis', { scope: 'file' }, async ({ folder, stores, secrets }, { onCleanup }) => {
    vi.stubEnv('REDIS_URL', '');
    const users = { prefix: stores.prefix, passwords: secrets.redis };
    const server = await provideRedis({ folder, durable: false, log: () => {}, users });
    const operator = new Redis(server.url);
    onCleanup(async () => {
      operator.disconnect();
      await server.close();
    });
    return { ...server, operator };
  })
  .override('system', async ({ systemOptions, redis }, { onCleanup }) => {
    const system = await startSystem({ ...systemOptions, redisUrl: redis.urls });
    onCleanup(() => system.stop());
    return system;
  });

describe('every service', () => {
  test('does its work as its own user of Redis, and tries nothing that is refused', async ({
    system,
    redis,
    demo,
  }) => {
    const [guide] = await demo.created(minimalGuide());
    expect((await demo.pdf(`/api/guias/etiqueta/${guide?.SEND_GUIA}`)).status).toBe(200);
    expect((await demo.get('/api/sucursales')).status).toBe(200);
    const operator = await Visitor.operator(system.addresses.dashboard);
    expect((await operator.page('/')).status).toBe(200);
    expect((await operator.page('/colas/api/queues?activeQueue=labels')).status).toBe(200);
    for (const address of Object.values(system.addresses)) {
      expect((await fetch(`${address}/metrics`)).status).toBe(200);
    }

    const clients = String(await redis.operator.client('LIST'));
    const users = new Set([...clients.matchAll(/ user=(\S+)/g)].map(([, user]) => user));
    expect([...users].sort()).toEqual(['api', 'branches', 'dashboard', 'label-worker', 'operator']);
    expect(await redis.operator.call('ACL', 'LOG')).toEqual([]);
  });

  test.runIf(process.platform === 'linux')(
    'shows no secret to whoever lists processes',
    async ({ system, redis, secrets, demo }) => {
      expect(demo.token).toBeTruthy();
      const roots = [...Object.values(system.processes), ...redis.processes].map(({ pid }) => pid as number);
      const shown = roots.flatMap(tree).map((pid) => ({
        pid,
        text: ['cmdline', 'environ']
          .map((file) => readFileSync(join('/proc', `${pid}`, file), 'utf8'))
          .join('\0'),
      }));
      // The services, Redis, and Chromium's processes.
      expect(shown.length).toBeGreaterThan(6);
      expect(shown.map(({ text }) => text).join()).toContain('REDIS_URL_FILE=');
      for (const { text } of shown) {
        for (const secret of valuesOf(secrets)) expect(text.includes(secret), text.slice(0, 80)).toBe(false);
        for (const name of SECRETS) expect(text).not.toContain(`${name}=`);
      }
    },
  );
});

function valuesOf({ jwt, internal, redis }: Secrets): string[] {
  return [jwt, internal, ...Object.values(redis)];
}

/** Returns a process and all that it started, by their ids. */
function tree(root: number): number[] {
  const parentOf = (pid: string) =>
    Number(/^PPid:\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => {
        try {
          return [[Number(pid), parentOf(pid)] as const];
        } catch {
          return []; // it ended meanwhile
        }
      }),
  );
  const found = [root];
  for (const pid of found)
    found.push(...[...parents].filter(([, parent]) => parent === pid).map(([child]) => child));
  return found;
}
