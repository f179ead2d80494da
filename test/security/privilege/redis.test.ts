import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { describe, expect, vi } from 'vitest';
import { redisAclFile, redisRules } from '#local/access/redis-acl.ts';
import { repoRoot } from '#local/folders.ts';
import { startRedis } from '#local/programs/redis.ts';
import { generateSecrets } from '#local/secrets.ts';
import { REDIS_SERVICES, type RedisService } from '#shared/stores/redis-families.ts';
import { test as folderTest } from '#test/fixtures/folder.ts';
import { fitsKey, KEYS } from './redis-keys.ts';

/** What each user of Redis may do, tried with the user's own password on a Redis of the file's own. */

type User = RedisService | 'operator' | 'health' | undefined;
const PREFIX = '{guias}';

const test = folderTest
  .extend('passwords', { scope: 'file' }, () => generateSecrets().redis)
  .extend('address', { scope: 'file' }, async ({ folder, passwords }, { onCleanup }) => {
    vi.stubEnv('REDIS_URL', '');
    const users = { prefix: PREFIX, passwords };
    const server = await startRedis({ folder, durable: false, log: () => {}, users });
    onCleanup(() => server.close());
    return Object.assign(new URL(server.url), { username: '', password: '' }).href;
  })
  /** Sends one command as a user, and returns the answer, or the first word of the refusal. */
  .extend('send', { scope: 'file' }, ({ address, passwords }, { onCleanup }) => {
    const clients = new Map<User, Redis>();
    onCleanup(() => {
      for (const client of clients.values()) client.disconnect();
    });
    const clientOf = (username: User) => {
      const password = username === 'health' ? 'any' : username && passwords[username];
      const credentials = username && password && { username, password };
      const options = { enableReadyCheck: false, disableClientInfo: true, ...credentials };
      const known = clients.get(username);
      if (known) return known;
      const client = new Redis(address, options);
      client.on('error', () => {}); // the answer to each command says what was refused
      clients.set(username, client);
      return client;
    };
    return async (user: User, command: string): Promise<unknown> => {
      const [name = '', ...args] =
        command.match(/"[^"]*"|\S+/g)?.map((word) => word.replaceAll('"', '')) ?? [];
      return clientOf(user)
        .call(name, ...args)
        .catch(({ message }: Error) => message.split(' ')[0]);
    };
  });

/** What no family has. */
const NO_RIGHTS = { api: '', branches: '', 'label-worker': '', dashboard: '', webhooks: '' } as const;

test('every pattern of the rules has a key in the table', () => {
  const rules = REDIS_SERVICES.flatMap((service) => redisRules(service, ''));
  const patterns = rules.flatMap((rule) => /^(?:%R)?~(.*)/.exec(rule)?.[1] ?? []);
  expect(patterns).not.toEqual([]);
  const untried = patterns.filter((pattern) => !KEYS.some(([key]) => fitsKey(key, pattern)));
  expect([...new Set(untried)]).toEqual([]);
});

describe.each(REDIS_SERVICES)('the user of %s', (service) => {
  test.for([...KEYS, [':somethingelse', NO_RIGHTS] as const])(
    'has its rights to {guias}%s and no others',
    async ([key, may], { send }) => {
      const name = `${PREFIX}${key.replace('*', '4f2a')}`;
      const found = {
        read: await send(service, `TYPE ${name}`),
        write: await send(service, `UNLINK ${name}`),
        // Lua scripts have no more rights than who sends them, whether they declare their keys or not.
        script: await send(service, `EVAL "return redis.call('UNLINK', KEYS[1])" 1 ${name}`),
        undeclared: await send(service, `EVAL "return redis.call('UNLINK', '${name}')" 0`),
      };
      const writes = may[service] === 'rw';
      expect(found).toEqual({
        read: may[service] ? 'none' : 'NOPERM',
        write: writes ? 0 : 'NOPERM',
        script: writes ? 0 : 'NOPERM',
        undeclared: writes ? 0 : expect.stringMatching(/^(NOPERM|ERR)$/),
      });
    },
  );

  test.for([
    'GET {otro}:labels:wait',
    'RENAME {guias}:labels:wait {guias}:elsewhere',
    'KEYS *',
    'SCAN 0',
    'FLUSHALL',
    'CONFIG SET maxmemory 1',
    'SHUTDOWN NOSAVE',
    'MONITOR',
    'CLIENT LIST',
    'ACL SETUSER default on nopass +@all ~*',
    'FUNCTION FLUSH',
    'MODULE LIST',
    'REPLICAOF 127.0.0.1 1',
    'MIGRATE 127.0.0.1 1 {guias}:labels:wait 0 1',
    'PUBLISH {guias}:labels x',
    'SUBSCRIBE {guias}:labels',
    'PSUBSCRIBE *',
    'SORT {guias}:labels:wait',
  ])('may not %s', async (command, { send }) => {
    expect(await send(service, command)).toBe('NOPERM');
  });

  test('may read the policy and the state of Redis', async ({ send }) => {
    expect(await send(service, 'CONFIG GET maxmemory-policy')).toEqual(['maxmemory-policy', 'noeviction']);
    expect(await send(service, 'INFO memory')).toContain('used_memory');
  });

  test('may send every command of BullMQ, whose scripts are in its package', () => {
    const folder = join(repoRoot, 'node_modules/bullmq/dist/cjs/scripts');
    const scripts = readdirSync(folder).filter((name) => /-\d+\.js$/.test(name) && !name.startsWith('relay'));
    const source = scripts.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
    const sent = [...source.matchAll(/(?:rcall|redis\.p?call)\(['"](\w+)['"]/g)].map(([, name = '']) =>
      name.toLowerCase(),
    );
    expect(new Set(sent).size).toBeGreaterThan(40);
    const granted = redisRules(service, PREFIX);
    expect([...new Set(sent)].filter((name) => !granted.includes(`+${name}`))).toEqual([]);
  });
});

describe('Redis', () => {
  test('serves nobody without a name', async ({ send }) => {
    expect(await send(undefined, 'PING')).toBe('NOAUTH');
    expect(await send(undefined, 'GET {guias}:branches')).toBe('NOAUTH');
  });

  test('lets the user of the health check PING and nothing else', async ({ send }) => {
    expect(await send('health', 'PING')).toBe('PONG');
    for (const command of [
      'INFO',
      'GET {guias}:branches',
      'CONFIG GET *',
      'ACL WHOAMI',
      'EVAL "return 1" 0',
    ]) {
      expect([command, await send('health', command)]).toEqual([command, 'NOPERM']);
    }
  });

  test('lets the operator do everything', async ({ send }) => {
    expect(await send('operator', 'ACL WHOAMI')).toBe('operator');
    expect(await send('operator', 'CONFIG SET maxmemory 0')).toBe('OK');
  });

  test('has no password in its file of users', ({ passwords }) => {
    const file = redisAclFile(PREFIX, passwords);
    for (const password of Object.values(passwords)) expect(file).not.toContain(password);
    expect(file).toMatch(/^user default off /m);
  });

  // As k8s/operations.md says: the operator adds the hash of a second password, and removes that of the first.
  test('takes two passwords of a service, as hashes, meanwhile', async ({ send, passwords }) => {
    const login = (password: string) => send('health', `AUTH api ${password}`);
    const hash = createHash('sha256').update('second').digest('hex');
    expect(await send('operator', `ACL SETUSER api #${hash}`)).toBe('OK');
    expect([await login(passwords.api), await login('second')]).toEqual(['OK', 'OK']);
    expect(await send('operator', `ACL SETUSER api !${hash}`)).toBe('OK');
    expect([await login(passwords.api), await login('second')]).toEqual(['OK', 'WRONGPASS']);
  });
});
