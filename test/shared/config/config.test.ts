import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { ApiConfig } from '#services/api/config.ts';
import { ConfigError, loadConfig } from '#shared/config/load-config.ts';
import { test } from '#test/fixtures/folder.ts';
import { MINIMAL_ENV as ENV } from '#test/fixtures/minimal-env.ts';
import { SETTINGS } from '#test/ops/settings.ts';

const refusal = (env: NodeJS.ProcessEnv): string => {
  try {
    loadConfig(ApiConfig, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return '';
};

describe("a service's configuration", () => {
  test('has defaults and real types, and is frozen', () => {
    const config = loadConfig(ApiConfig, { ...ENV, PORT: '3100' });
    expect(config).toMatchObject({ PORT: 3100, HOST: '127.0.0.1', TIME_ZONE: 'America/Mexico_City' });
    expect(Object.isFrozen(config)).toBe(true);
  });

  test('names every variable that is missing, with an example', () => {
    const message = refusal({ ...ENV, JWT_SECRET: undefined, MONGODB_URI: '' });
    expect(message).toContain('JWT_SECRET is not set');
    expect(message).toContain('Example: MONGODB_URI=mongodb://127.0.0.1:27017/guias');
  });

  test.each([
    ['PORT', '99999'],
    ['REDIS_URL', '127.0.0.1:6379'],
    ['MONGODB_URI', 'mongodb://127.0.0.1:27017'],
    ['TRACKING_URL', 'https://rastreo.example/'],
    ['CARRIER_CONTACT', 'Paquetería'],
    ['TIME_ZONE', 'America/Ciudad'],
    ['TRUST_PROXY', '10.0.0.5,10.1.0.0/33'],
    ['WEBHOOKS_ALLOW_NETWORKS', '10.1.2.0/24,10.0.0.5'],
    ['WEBHOOKS_ALLOW_NETWORKS', '0.0.0.0/0'],
    ['DRAIN_MS', '3000000000'],
    ['BRANCHES_URL', 'branches:3001'],
    ['BRANCHES_URL', 'http://branches:3001/internal'],
  ])('refuses %s=%s', (name, value) => {
    expect(refusal({ ...ENV, [name]: value })).toContain(name);
  });

  // A timer of 2 147 483 648 ms ends after 1 ms.
  test('has a maximum for each number', () => {
    const settings = Object.values(SETTINGS).flatMap(({ properties }) => Object.entries<object>(properties));
    const unbounded = settings.filter(([, setting]) => {
      const { type, maximum = Number.POSITIVE_INFINITY } = setting as { type?: string; maximum?: number };
      return type === 'integer' && maximum > 2 ** 31 - 1;
    });
    expect(unbounded.map(([name]) => name)).toEqual([]);
  });

  test('never shows a secret', () => {
    expect(refusal({ ...ENV, JWT_SECRET: 'hunter2' })).not.toContain('hunter2');
  });

  test('takes a secret from a file', ({ folder }) => {
    writeFileSync(join(folder, 'jwt'), `${ENV.JWT_SECRET}\n`);
    const env = { ...ENV, JWT_SECRET: '', JWT_SECRET_FILE: join(folder, 'jwt') };
    expect(loadConfig(ApiConfig, env).JWT_SECRET).toBe(ENV.JWT_SECRET);
    expect(refusal({ ...env, JWT_SECRET_FILE: join(folder, 'none') })).toContain(
      'JWT_SECRET_FILE: cannot read',
    );
  });
});
