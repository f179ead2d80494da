import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { identify } from '#local/process/process-id.ts';
import { loadSecrets } from '#local/secrets.ts';
import { copyCheckout } from '#test/fixtures/checkout.ts';
import { runProgram } from '#test/fixtures/operators/command.ts';
import { test as withStores } from '#test/fixtures/stores.ts';

/** What commands read in `.local`, beside an `npm start` and after one. */

/** What a crash or a full disk leaves of a file. */
const CUT = '{"fault":"worker-fro';

const test = withStores
  .extend('checkout', { scope: 'file' }, ({ folder }, { onCleanup }) => {
    const checkout = join(folder, 'checkout');
    onCleanup(copyCheckout(checkout));
    mkdirSync(join(checkout, '.local'));
    return checkout;
  })
  .extend('local', { scope: 'file' }, ({ checkout }) => join(checkout, '.local'))
  /** Of what npm runs. */
  .extend('env', (): Record<string, string> => ({}))
  /** Runs what npm runs for a script of package.json. */
  .extend('npmRun', ({ checkout, env }) => (script: string, ...args: string[]) => {
    const { scripts } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'));
    const words: string[] = scripts[script].replace('sh local/run.sh node ', '').split(' ');
    const inCheckout = (word: string) => (word.endsWith('.ts') ? join(checkout, word) : word);
    return runProgram([...words.map(inCheckout), ...args], { env });
  });

describe('a damaged file', () => {
  test('of a drill is named, with the way out', async ({ npmRun, local }) => {
    writeFileSync(join(local, 'drill.json'), CUT);
    const { code, out, err } = await npmRun('drill', '--end');
    const said =
      'está dañado, y no dice qué descompuso el simulacro. Detenga npm start, borre el archivo e inicie otra vez.';
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(`${local}/drill.json ${said}`);
  });

  test.for(['drill', 'admin'])(
    'of what runs is named by %s, with the way out',
    async (script, { npmRun, local }) => {
      writeFileSync(join(local, 'running.json'), CUT);
      const said = 'está dañado. Detenga npm start (Ctrl-C) e inícielo otra vez.';
      expect(await npmRun(script)).toEqual({ code: 1, out: '', err: `${local}/running.json ${said}\n` });
    },
  );

  test.for(['', CUT, 'null'])('of secrets is named: "%s"', (text, { local }) => {
    const file = join(local, 'secrets.json');
    writeFileSync(file, text);
    expect(() => loadSecrets(file, 'is damaged.')).toThrow(`${file} is damaged.`);
  });
});

describe("an operator's command without MONGODB_URI", () => {
  const runs = (mongoUri: string) => JSON.stringify({ npmStart: identify(process.pid), mongoUri });

  test.for([
    ['admin', 'list', 'lectura'],
    ['branches', 'export', 'MEX01'],
    ['tariffs', 'list', 'demo'],
  ] as const)(
    'works on the npm start of the checkout: %s %s',
    async ([script, word, part], { npmRun, local, stores }) => {
      writeFileSync(join(local, 'running.json'), runs(stores.mongoUri));
      const { code, out, err } = await npmRun(script, word);
      expect([code, err]).toEqual([0, 'Sin MONGODB_URI: en el npm start de este directorio.\n']);
      expect(out).toContain(part);
    },
  );

  test('is refused if the variable is empty', async ({ npmRun, env, local, stores }) => {
    writeFileSync(join(local, 'running.json'), runs(stores.mongoUri));
    env.MONGODB_URI = '';
    const { code, out, err } = await npmRun('branches', 'export');
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('Falta la variable MONGODB_URI');
  });
});
