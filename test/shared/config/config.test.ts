import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { ApiConfig } from '#services/api/config.ts';
import { ConfigError, loadConfig } from '#shared/config/load-config.ts';
import { test } from '#test/fixtures/folder.ts';
import { MINIMAL_ENV as ENV } from '#test/fixtures/minimal-env.ts';

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
    ['PORT', 'http'],
    ['JWT_SECRET', 'short'],
    ['REDIS_URL', '127.0.0.1:6379'],
    ['MONGODB_URI', 'mongodb://127.0.0.1:27017'],
    ['TRACKING_URL', 'https://rastreo.example/'],
    ['LOG_LEVEL', 'loud'],
  ])('refuses %s=%s', (name, value) => {
    expect(refusal({ ...ENV, [name]: value })).toContain(name);
  });

  describe('under the former name of a setting', () => {
    test.each([
      ['the former name', { LABEL_DEADLINE_MS: '7000' }],
      ['the new one', { LABEL_TIMEOUT_MS: '7000' }],
      ['both, with one value', { LABEL_TIMEOUT_MS: '7000', LABEL_DEADLINE_MS: '7000' }],
    ])('accepts %s', (_, env) => {
      expect(loadConfig(ApiConfig, { ...ENV, ...env }).LABEL_TIMEOUT_MS).toBe(7_000);
    });

    test('refuses two values, and says which variable to remove', () => {
      expect(refusal({ ...ENV, LABEL_TIMEOUT_MS: '7000', LABEL_DEADLINE_MS: '10000' })).toContain(
        'LABEL_DEADLINE_MS is the former name of LABEL_TIMEOUT_MS, and their values differ. Remove LABEL_DEADLINE_MS.',
      );
    });

    test('names the variable that was set when its value is wrong', () => {
      expect(refusal({ ...ENV, LABEL_DEADLINE_MS: 'soon' })).toContain('(formerly LABEL_DEADLINE_MS)');
    });
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
