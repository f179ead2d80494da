import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { TObject } from 'typebox';
import { describe, expect } from 'vitest';
import { ConfigError, isStrongSecret, loadConfig } from '#shared/config/load-config.ts';
import { MINIMAL_ENV } from '#test/fixtures/minimal-env.ts';
import { repositoryFiles } from '#test/fixtures/repository.ts';
import { INTERNAL_TOKEN, test as services } from '#test/fixtures/services.ts';
import { SETTINGS } from '#test/ops/settings.ts';

/** Secrets that nobody can guess, and the one that our services show each other. */

/** Every setting that is a secret of ours, by its schema. */
const SECRETS = Object.entries(SETTINGS).flatMap(([service, schema]) =>
  Object.entries(schema.properties)
    .filter(([, setting]) => (setting as { format?: string }).format === 'secret')
    .map(([name]) => [service, name] as const),
);

/** What a service says to its settings; '' where it starts. */
function refusal(service: string, env: NodeJS.ProcessEnv): string {
  try {
    loadConfig(SETTINGS[service] as TObject, env);
    return '';
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

const WEAK = [
  'short',
  'x'.repeat(64),
  `${'0'.repeat(63)}1`,
  'change-me-change-me-change-me-change-me',
  '<the output of openssl rand -hex 32 here>',
];

const test = services
  /** All routes of the service branches, but those for who watches over it. */
  .extend('routes', { scope: 'file' }, ({ branches }) =>
    [...branches.server.printRoutes({ commonPrefix: false }).matchAll(/(\/internal\/\S+) \(([A-Z]+)/g)].map(
      ([, url = '', method = '']) => ({ url, method: method as 'GET' | 'POST' }),
    ),
  );

describe.each(SECRETS)('%s: %s', (service, name) => {
  test.each(WEAK)('is refused when it is %s', (weak) => {
    const message = refusal(service, { ...MINIMAL_ENV, [name]: weak });
    expect(message).toContain(`${name} `);
    expect(message).not.toContain(weak);
    if (weak.length >= 32) expect(message).toContain('Make one with: openssl rand -hex 32');
  });

  test('is taken when it is random', () => {
    expect(refusal(service, { ...MINIMAL_ENV, [name]: randomBytes(32).toString('hex') })).toBe('');
  });
});

test('random secrets are strong, however they are written', () => {
  // By chance a random text in base64 holds a word of an example: once in a million, so few of them are drawn.
  for (const [draws, bytes, encoding] of [
    [2_000, 16, 'hex'],
    [2_000, 32, 'hex'],
    [50, 24, 'base64'],
    [50, 32, 'base64url'],
  ] as const) {
    for (let draw = 0; draw < draws; draw++) {
      const secret = randomBytes(bytes).toString(encoding);
      expect(isStrongSecret(secret), secret).toBe(true);
    }
  }
});

test('every secret of every service is checked', () => {
  expect(SECRETS.map((each) => each.join(': ')).toSorted()).toEqual([
    'api: INTERNAL_TOKEN',
    'api: JWT_SECRET',
    'api: JWT_SECRET_PREVIOUS',
    'api: NOTICES_SECRET',
    'api: WEBHOOK_SECRETS_KEY',
    'api: WEBHOOK_SECRETS_KEY_PREVIOUS',
    'branches: INTERNAL_TOKEN',
    'branches: INTERNAL_TOKEN_PREVIOUS',
    'canary: CANARY_KEY',
    'canary: CANARY_PASSWORD',
    'webhooks: INTERNAL_TOKEN',
    'webhooks: INTERNAL_TOKEN_PREVIOUS',
    'webhooks: WEBHOOK_SECRETS_KEY',
    'webhooks: WEBHOOK_SECRETS_KEY_PREVIOUS',
  ]);
});

describe('the repository', () => {
  const files = repositoryFiles
    .filter((file) => /\.(ya?ml|md|json|env|example|sh|toml|hbs)$|Dockerfile/.test(file))
    .filter((file) => !/package-lock\.json$/.test(file));
  const VALUE =
    /\b(CANARY_KEY|CANARY_PASSWORD|NOTICES_SECRET|(?:JWT_SECRET|INTERNAL_TOKEN|WEBHOOK_SECRETS_KEY)(?:_PREVIOUS)?)["']?\s*[:=]\s*["']?([^\s"',;}`]+)/g;

  test('holds no value of a secret that a service would start with', () => {
    const found = files.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(VALUE)].map(([, name = '', value = '']) => ({
        file,
        name,
        value,
      })),
    );
    expect(found.length).toBeGreaterThan(0);
    for (const { file, name, value } of found) {
      const [service = ''] = SECRETS.find(([, secret]) => secret === name) ?? [];
      expect([file, refusal(service, { ...MINIMAL_ENV, [name]: value })]).not.toEqual([file, '']);
    }
  });
});

describe('the internal token', () => {
  test.for<[string, Record<string, string | string[]>]>([
    ['is absent', {}],
    ['is another', { 'x-internal-token': randomBytes(32).toString('hex') }],
    ['is the beginning', { 'x-internal-token': INTERNAL_TOKEN.slice(0, -1) }],
    ['comes twice', { 'x-internal-token': [INTERNAL_TOKEN, INTERNAL_TOKEN] }],
  ])('that %s is refused by every route', async ([_, headers], { branches, routes }) => {
    expect(routes.length).toBeGreaterThan(1);
    for (const route of routes) {
      const { statusCode, body } = await branches.server.inject({ ...route, headers });
      expect([route.url, statusCode]).toEqual([route.url, 401]);
      expect(JSON.parse(body)).toMatchObject({ response: 'ERROR', codigo: 'acceso_denegado' });
    }
  });
});
