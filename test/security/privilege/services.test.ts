import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { describe, expect, vi } from 'vitest';
import { startRedis } from '#local/programs/redis.ts';
import { generateSecrets, type Secrets } from '#local/secrets.ts';
import { startSystem } from '#local/system.ts';
import { UserStore } from '#shared/accounts/user-store.ts';
import { pathOf, put } from '#test/api/evidence/fixture.ts';
import { Client, logIn, minimalGuide } from '#test/fixtures/client.ts';
import { Visitor } from '#test/fixtures/dashboard/visitor.ts';
import { event } from '#test/fixtures/events.ts';
import { test as systemTest } from '#test/fixtures/system.ts';
import { SECRETS } from '#test/ops/settings.ts';
import { fitsKey, KEYS } from './redis-keys.ts';

/** The services as `npm start` runs them: on a Redis with its file of users, each with its own password. */

const test = systemTest
  .extend('secrets', () => generateSecrets())
  .extend('redis', { scope: 'file' }, async ({ folder, stores, secrets }, { onCleanup }) => {
    vi.stubEnv('REDIS_URL', '');
    const users = { prefix: stores.prefix, passwords: secrets.redis };
    const server = await startRedis({ folder, durable: false, log: () => {}, users });
    const operator = new Redis(server.url);
    onCleanup(async () => {
      operator.disconnect();
      await server.close();
    });
    return { ...server, operator };
  })
  /** Every key that a service names in a command to either Redis, after the prefix. */
  .extend('keys', { scope: 'file' }, async ({ redis, stores }, { onCleanup }) => {
    const keys = new Set<string>();
    // ioredis fails if somebody's command comes in one packet with the answer to its MONITOR.
    const monitorOf = (client: Redis) => client.monitor().catch(() => client.monitor());
    const monitors = await Promise.all([monitorOf(redis.operator), monitorOf(stores.cache)]);
    onCleanup(() => {
      for (const monitor of monitors) monitor.disconnect();
    });
    for (const monitor of monitors) {
      monitor.on('monitor', (_time: string, [command = '', ...words]: string[]) => {
        if (/^client$/i.test(command)) return; // the name of a connection
        const own = words.filter((word) => word.startsWith(`${stores.prefix}:`));
        for (const word of own) keys.add(word.slice(stores.prefix.length));
      });
    }
    return keys;
  })
  .extend('system', async ({ systemOptions, redis, keys }, { onCleanup }) => {
    expect(keys.size).toBe(0);
    vi.stubEnv('RETENTION_DAYS', '3650');
    const system = await startSystem({ ...systemOptions, redisUrl: redis.urls });
    onCleanup(() => system.stop());
    return system;
  });

describe('every service', () => {
  test('uses each key of the table of rights, and no other', async ({
    system,
    keys,
    demo,
    redis,
    stores,
  }) => {
    const { api, dashboard } = system.addresses;
    await new UserStore(stores.mongo, { allowDemo: true }).grant('operaciones', ['soporte.read']);
    const [guide] = await demo.created(minimalGuide());
    expect((await demo.pdf(`/api/guias/etiqueta/${guide?.SEND_GUIA}`)).status).toBe(200);
    const number = guide?.SEND_GUIA ?? '';
    const scanner = await Client.login(api, 'escaner');
    await scanner.post('/api/eventos', { Eventos: [event(number, 'Entregado', { Id: 'e1' })] });
    expect((await put(scanner, pathOf(number, 'e1', 'firma'))).status).toBe(200);
    expect((await fetch(`${api}/rastreo/${guide?.SEND_GUIA}`)).status).toBe(200);
    expect((await fetch(`${api}/devolver/${'x'.repeat(22)}`)).status).toBe(404);
    const parcel = 'origen=06600&destino=64000&peso=1&largo=10&alto=10&ancho=10';
    expect((await fetch(`${api}/cotizador?${parcel}`)).status).toBe(200);
    const { body } = await demo.post('/api/webhooks', { Url: 'http://127.0.0.1:1/' });
    const { Id } = body.data as { Id: string };
    expect((await demo.post(`/api/webhooks/${Id}/probar`, {})).status).toBe(200);
    expect((await logIn(api, 'demo', 'wrong')).status).toBe(401);
    expect((await new Visitor(dashboard).login('operaciones', 'wrong')).status).toBe(401);
    const operator = await Visitor.operator(dashboard);
    for (const path of ['/', `/soporte/guia/${guide?.SEND_GUIA}`])
      expect((await operator.page(path)).status).toBe(200);
    const unused = () => KEYS.filter(([pattern]) => ![...keys].some((key) => fitsKey(key, pattern)));
    // Nobody is mailed: there is no mail server.
    await expect.poll(() => unused().map(([pattern]) => pattern)).toEqual([':notices:*']);
    expect([...keys].filter((key) => !KEYS.some(([pattern]) => fitsKey(key, pattern)))).toEqual([]);
    expect(await redis.operator.call('ACL', 'LOG')).toEqual([]); // nothing was refused
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

function valuesOf({ jwt, internal, webhooks, redis }: Secrets): string[] {
  return [jwt, internal, webhooks, ...Object.values(redis)];
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
