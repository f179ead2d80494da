import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect } from 'vitest';
import { parse } from 'yaml';
import { repoRoot } from '#local/folders.ts';
import { loadConfig } from '#shared/config/load-config.ts';
import { SHUTDOWN_MS } from '#shared/http/run-service.ts';
import { test as folderTest } from '#test/fixtures/folder.ts';
import { environmentOf, readTargets } from '../dockerfile.ts';
import { SECRETS, SERVICES, SETTINGS, unknownSettings } from '../settings.ts';

/** Holds docker-compose.yml to the specification and to our rules. `npm run test:compose` runs it. */

type Mount = { source: string; target: string; read_only?: boolean; volume?: { subpath?: string } };
type Service = {
  restart: string;
  /** A name without a value is taken from the environment of Compose. */
  environment?: Record<string, string | null>;
  command?: string | string[];
  entrypoint?: string[];
  volumes?: (string | Mount)[];
  ports?: string[];
  networks?: string[] | Record<string, object>;
  security_opt?: string[];
  healthcheck?: { test?: string[] };
  profiles?: string[];
  depends_on?: object;
  stop_grace_period?: string;
};

const text = readFileSync(join(repoRoot, 'docker-compose.yml'), 'utf8');
const file = parse(text, { merge: true, maxAliasCount: 200 }); // by default 100
const services: Record<string, Service> = file.services;
/** What an operator may set. */
const operators: Record<string, string | null> = file['x-settings'];
const all = Object.entries(services);
const service = (name: string) => services[name] as Service;
/** Whose secrets a command has that has none of its own. */
const SECRETS_OF: Readonly<Record<string, string>> = { tariffs: 'admin' };
const networksOf = ({ networks = [] }: Service) =>
  Array.isArray(networks) ? networks : Object.keys(networks);
const mountOf = ({ volumes = [] }: Service) =>
  volumes.find((each): each is Mount => typeof each === 'object' && each.target === '/run/secrets');

const make = (folder: string) =>
  execFileSync(process.execPath, [join(repoRoot, 'local/compose/secrets.ts'), folder]);
const test = folderTest
  /** The folder of the secrets that Compose makes. */
  .extend('secrets', { scope: 'file' }, ({ folder }) => {
    make(folder);
    return folder;
  })
  .extend('read', { scope: 'file' }, ({ secrets }) => (path: string) => {
    return readFileSync(join(secrets, path), 'utf8');
  });

test('is valid against the Compose specification', () => {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addFormat('duration', /^(\d+(h|m|s|ms|us|ns))+$/);
  const schema = JSON.parse(readFileSync(join(import.meta.dirname, 'compose-spec.json'), 'utf8'));
  const validate = ajv.compile(schema);
  validate(file);
  expect(validate.errors).toBe(null);
});

test('Caddy alone can be reached from other machines', () => {
  const open = all.filter(([, { ports = [] }]) => ports.some((port) => !port.startsWith('127.0.0.1:')));
  expect(open.map(([name, { profiles }]) => [name, profiles])).toEqual([['caddy', ['tls']]]);
});

describe('the secrets', () => {
  test('are made once, and kept', ({ read, secrets }) => {
    const before = read('api/jwt');
    make(secrets);
    expect(read('api/jwt')).toBe(before);
    expect(before).toMatch(/^[0-9a-f]{64}$/);
  });

  test('are a folder for each service that has some, which sees its own only', ({ secrets }) => {
    const mounted = all.flatMap(([name, each]) => (mountOf(each) ? [[name, mountOf(each)]] : []));
    for (const [name, mount] of mounted as [string, Mount][]) {
      const subpath = SECRETS_OF[name] ?? name;
      expect(mount).toMatchObject({ source: 'secrets', read_only: true, volume: { subpath } });
      for (const secret of readdirSync(join(secrets, subpath))) {
        expect(statSync(join(secrets, subpath, secret)).mode & 0o777).toBe(0o444);
      }
    }
    const owners = mounted.map(([name]) => name as string).filter((name) => !(name in SECRETS_OF));
    expect(owners.sort()).toEqual(
      readdirSync(secrets)
        .filter((name) => name !== 'secrets.json')
        .sort(),
    );
  });

  test("of one service are in no other service's folder", ({ secrets, read }) => {
    const owners = new Map<string, string[]>();
    for (const name of SERVICES) {
      for (const file of readdirSync(join(secrets, name))) {
        const value = read(`${name}/${file}`);
        owners.set(value, [...(owners.get(value) ?? []), name]);
      }
    }
    owners.delete(''); // no former key
    const shared = [...owners.values()].filter((names) => names.length > 1);
    // The token of internal calls, and the key of what signs messages.
    expect(shared).toEqual([
      ['api', 'branches', 'webhooks'],
      ['api', 'webhooks'],
    ]);
    const root = read('mongo/password');
    for (const value of owners.keys()) expect(value).not.toContain(root);
  });

  test.for(SERVICES)('and settings of %s are all that it needs, and known to it', (name, { secrets }) => {
    const environment = service(name).environment ?? {};
    expect(environment).toMatchObject(operators);
    const own = Object.entries(environment).filter(([setting]) => !(setting in operators));
    expect(unknownSettings(name, Object.fromEntries(own))).toEqual([]);
    const image = environmentOf(readTargets().get(name) ?? []);
    const given = Object.entries({ ...image, ...environment }).filter(([, value]) => value !== null);
    const env = given.map(([key, value]) => [
      key,
      // As Compose fills them in where nobody has set anything.
      (value ?? '')
        .replace(/^\$\{\w+(?::-(.*)|:\+.*)\}$/, '$1')
        .replace(/\$\{DOMAIN:\+[^}]*\}+/, '')
        .replace(/\$\{DOMAIN:-([^}]*)\}/, '$1')
        .replace(/^\/run\/secrets/, join(secrets, name)),
    ]);
    expect(() => loadConfig(SETTINGS[name] as never, Object.fromEntries(env))).not.toThrow();
  });

  /** Settings that are not the operator's, and who has set them. */
  const OTHERS: Readonly<Record<string, string>> = {
    API_PROCESSES_URL: 'this file',
    BRANCHES_URL: 'this file',
    CANARY_URL: 'this file',
    CHROMIUM_PATH: 'the image',
    HOST: 'the image',
    INSTALLATION: 'this file',
    PORT: 'the image',
    REDIS_PREFIX: 'the rights in Redis, which name it',
    WEBHOOKS_URL: 'this file',
  };

  test('leave each other setting to the operator', () => {
    const settings = Object.values(SETTINGS).flatMap(({ properties }) => Object.keys(properties));
    const left = settings.filter((setting) => !SECRETS.includes(setting) && !(setting in OTHERS));
    expect(Object.keys(operators).toSorted()).toEqual([...new Set(left)].toSorted());
  });

  test.for(SERVICES)('give %s each of its secrets as a file', (name) => {
    const secrets = Object.keys(SETTINGS[name]?.properties ?? {}).filter((each) => SECRETS.includes(each));
    expect(secrets.filter((each) => !(`${each}_FILE` in (service(name).environment ?? {})))).toEqual([]);
  });

  test('are rotated, and taken from a dump, by the command that makes them', ({ secrets, read }) => {
    const command = (args: string[], input = '') =>
      execFileSync(process.execPath, [join(repoRoot, 'local/compose/secrets.ts'), secrets, ...args], {
        input,
      });
    const former = read('api/jwt');
    command(['rotate', 'jwt']);
    expect([read('api/jwt') === former, read('api/jwt-previous')]).toEqual([false, former]);
    command(['retire', 'jwt']);
    expect(read('api/jwt-previous')).toBe('');
    const token = read('api/internal');
    command(['rotate', 'internal']);
    expect(read('api/internal')).not.toBe(token);
    for (const called of ['branches', 'webhooks'])
      expect([read(`${called}/internal`), read(`${called}/internal-previous`)]).toEqual([
        read('api/internal'),
        token,
      ]);
    command(['retire', 'internal']);
    expect(read('branches/internal-previous')).toBe('');
    const files = ['canary/key', 'canary/password'];
    const credentials = files.map((file) => read(file));
    command(['rotate', 'canary']);
    for (const [index, file] of files.entries()) {
      expect(read(file)).not.toBe(credentials[index]);
      expect(read(file.replace('canary', 'canary-account'))).toBe(read(file));
    }
    command(['proxy-login'], 'carrier:a password\n');
    expect(read('webhooks/proxy-login')).toBe('carrier:a password');
    command(['evidence-bucket'], 'https://KEY:SECRET@s3.example/evidencia\n');
    expect(read('api/evidence-bucket')).toBe('https://KEY:SECRET@s3.example/evidencia');
    command(['mail-server'], 'smtp://guias:PASSWORD@correo.example:587\n');
    expect(read('api/mail-server')).toBe('smtp://guias:PASSWORD@correo.example:587');
    const keys = { webhooks: 'of the dump', webhooksPrevious: 'before', notices: 'of addresses' };
    writeFileSync(join(secrets, 'restored-keys.json'), JSON.stringify(keys));
    command([]);
    const restored = ['api/webhook-secrets', 'webhooks/webhook-secrets-previous', 'api/notices'];
    expect(restored.map((file) => read(file))).toEqual(Object.values(keys));
    expect(JSON.parse(read('backup/keys.json'))).toEqual(keys);
    expect(existsSync(join(secrets, 'restored-keys.json'))).toBe(false);
  });
});

// Whoever may list processes sees their arguments, and whoever may inspect a container its environment.
test.each(all)('%s has no password among its arguments or in its environment', (_, its) => {
  const words = [its.command, its.entrypoint, its.healthcheck?.test].flat().join(' ');
  expect(words).not.toMatch(/requirepass|--pass\b| -a |REDISCLI_AUTH|--password|\/\/[^/]*:[^/]*@/);
  for (const [name, value] of Object.entries(its.environment ?? {})) {
    if (/PASSWORD|SECRET|TOKEN|AUTH/.test(name)) expect(name).toMatch(/_FILE$/);
    expect(value ?? '').not.toMatch(/\/\/[^/]*:[^/]*@/);
  }
});

describe('the networks', () => {
  const reach = (name: string) =>
    all
      .filter(([, other]) => networksOf(other).some((each) => networksOf(service(name)).includes(each)))
      .map(([other]) => other)
      .filter((other) => other !== name)
      .sort();

  test('let the label worker reach Redis alone, and Prometheus it', () => {
    expect(reach('label-worker')).toEqual(['label-cache', 'prometheus', 'redis']);
  });

  test('let the canary meet the ways in that it tries and those who call it, neither stores nor the internet', () => {
    expect(file.networks.customers.internal && file.networks.canary.internal).toBe(true);
    expect(networksOf(service('canary'))).toEqual(['customers', 'canary']);
    expect(reach('canary')).toEqual(['api', 'caddy', 'dashboard', 'prometheus', 'webhooks']);
  });

  test('let only services with a published port reach the internet, and webhooks, which has none', () => {
    expect(file.networks.data.internal && file.networks.print.internal).toBe(true);
    const open = all.filter(([, each]) => networksOf(each).includes('edge'));
    expect(open.filter(([, { ports }]) => !ports)).toEqual([]);
    const out = all.filter(([, each]) => networksOf(each).includes('out'));
    expect(out.map(([name, { networks, ports }]) => [name, networks, ports])).toEqual([
      ['webhooks', ['data', 'out', 'canary'], undefined],
    ]);
  });
});

test('gives every service more time to stop than a graceful shutdown takes', () => {
  for (const name of SERVICES) {
    expect(Number.parseInt(service(name).stop_grace_period ?? '0', 10) * 1_000).toBeGreaterThan(SHUTDOWN_MS);
  }
});

test("the label worker's system calls make the namespaces of Chromium's sandbox, and no others", () => {
  const profile = JSON.parse(readFileSync(join(repoRoot, 'k8s/chromium-seccomp.json'), 'utf8'));
  type Rule = { names: string[]; action: string; args?: { value: number; op: string }[] };
  const allowed = (name: string): Rule[] =>
    profile.syscalls.filter((rule: Rule) => rule.names.includes(name) && rule.action === 'SCMP_ACT_ALLOW');
  expect(service('label-worker').security_opt).toContain('seccomp:k8s/chromium-seccomp.json');
  expect(profile.defaultAction).toBe('SCMP_ACT_ERRNO');
  for (const name of ['mount', 'setns', 'bpf', 'io_uring_setup']) expect(allowed(name), name).toEqual([]);
  const forbidden = { newNs: 0x20000, newCgroup: 0x2000000, newUts: 0x4000000, newIpc: 0x8000000 };
  const mask = Object.values(forbidden).reduce((sum, flag) => sum | flag);
  for (const name of ['clone', 'unshare']) {
    expect(allowed(name).map(({ args }) => args)).toEqual([
      [{ index: 0, value: mask, op: 'SCMP_CMP_MASKED_EQ' }],
    ]);
  }
});
