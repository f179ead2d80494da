import { describe, expect } from 'vitest';
import { run } from '#services/api/cli.ts';
import type { Client } from '#test/fixtures/client.ts';
import { runCommand } from '#test/fixtures/operators/command.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
import { test as services } from '#test/fixtures/services.ts';

/** Within which a change is in force, in ms (docs/contract.md "Limits"). */
const IN_FORCE = 10_000;

const test = services.extend(
  'limits',
  { scope: 'file' },
  ({ stores }) =>
    (...args: string[]) =>
      runCommand(run, ['limits', ...args], { env: { MONGODB_URI: stores.mongoUri } }),
);
const policy = async (client: Client) =>
  (await client.get('/api/auth/validate')).headers.get('ratelimit-policy');

describe('npm run admin -- limits', () => {
  test('gives an account limits of its own, in force within ten seconds, and takes them away again', async ({
    demo,
    limits,
  }) => {
    expect(await policy(demo)).toBe('"solicitudes";q=3000;w=3');
    const set = await limits('demo', '--requests-per-second', '50', '--requests-burst', '200');
    expect(set).toEqual({
      code: 0,
      out: [
        'Limites de la cuenta demo:',
        '  REQUESTS_PER_SECOND_PER_ACCOUNT: 50',
        '  REQUESTS_BURST_PER_ACCOUNT: 200',
        '  GUIDES_PER_DAY_PER_ACCOUNT: el de la configuracion',
        '  LABEL_PAGES_PER_ACCOUNT: el de la configuracion',
        '',
      ].join('\n'),
      err: '',
    });
    passTime(IN_FORCE);
    expect(await policy(demo)).toBe('"solicitudes";q=200;w=4');

    const more = await limits('demo', '--guides-per-day', '7', '--label-pages', '9');
    expect(more.out).toContain('GUIDES_PER_DAY_PER_ACCOUNT: 7\n  LABEL_PAGES_PER_ACCOUNT: 9\n');
    expect((await limits('demo')).out).toContain('REQUESTS_PER_SECOND_PER_ACCOUNT: 50\n');

    expect((await limits('demo', '--default')).out).not.toMatch(/: \d/);
    passTime(IN_FORCE);
    expect(await policy(demo)).toBe('"solicitudes";q=3000;w=3');
  });

  test.for<[string, string[], number, string]>([
    ['an account without users', ['fantasma'], 1, 'La cuenta no tiene usuarios: fantasma\n'],
    ['both a limit and --default', ['demo', '--default', '--label-pages', '3'], 2, 'o bien --default\n'],
    [
      'no limit',
      ['demo', '--label-pages', '0'],
      2,
      'Un limite debe ser un numero entero de 1 a 1000000000\n',
    ],
    ['a fraction', ['demo', '--label-pages', '1.5'], 2, 'Un limite debe ser un numero entero'],
    ['no number', ['demo', '--guides-per-day', 'mil'], 2, 'Un limite debe ser un numero entero'],
    ['no account', [], 2, 'Falta un argumento'],
  ])('refuses %s', async ([_, args, code, message], { limits }) => {
    const result = await limits(...args);
    expect([result.code, result.out]).toEqual([code, '']);
    expect(result.err).toContain(message);
  });

  test('explains itself with an example', async ({ limits }) => {
    const { code, out } = await limits('--help');
    expect(code).toBe(0);
    expect(out).toContain('Uso: npm run admin -- limits [opciones] <cuenta>');
    expect(out).toContain('Ejemplo:\n  npm run admin -- limits tienda');
  });
});
