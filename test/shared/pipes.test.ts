import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { test as withStores } from '#test/fixtures/stores.ts';

/** Commands whose output goes into a pipe of a shell. Node.js gives its children sockets in place of pipes, which end in another way. */

type Shell = (line: string, ...args: string[]) => Promise<{ code: string; out: string; err: string }>;

const test = withStores
  /** Runs a line of a shell, in which `command` runs Node.js with the arguments and keeps its exit code. */
  .extend('shell', { scope: 'file' }, ({ stores, folder }): Shell => {
    const codeFile = join(folder, 'code');
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const env = { PATH, NODE_COMPILE_CACHE, MONGODB_URI: stores.mongoUri, CODE_FILE: codeFile };
    return (line, ...args) =>
      new Promise((resolve) => {
        const script = `command() { "$@"; echo $? > "$CODE_FILE"; }\n${line}`;
        execFile(
          'sh',
          ['-c', script, 'sh', process.execPath, ...args],
          { cwd: repoRoot, env },
          (_, out, err) => resolve({ code: readFileSync(codeFile, 'utf8').trim(), out, err }),
        );
      });
  });

const EXPORTS = [
  ['services/api/cli.ts list --csv', 'demo'],
  ['services/api/cli.ts privacy export --phone 5512345678', '"busqueda":"telefono"'],
  ['services/branches/cli.ts export', 'MEX01'],
  ['services/branches/cli.ts coverage export', 'CodigoPostal,Sucursal'],
] as const;

describe('a pipe', () => {
  test.for(EXPORTS)('gets all of %s, which ends with 0', async ([words, part], { shell }) => {
    const { code, out, err } = await shell('command "$@" | cat', ...words.split(' '));
    expect({ code, err }).toEqual({ code: '0', err: '' });
    expect(out).toContain(part);
  });

  test('whose reader leaves ends what is written into it, in silence', async ({ shell }) => {
    const ended = await shell('command "$@" | head -1', 'test/shared/endless-output.ts');
    expect(ended).toEqual({ code: '141', out: 'line\n', err: '' });
  });

  test('on a full disk makes a command fail with the reason', async ({ shell }) => {
    const { code, err } = await shell('command "$@" > /dev/full', 'services/api/cli.ts', 'list', '--csv');
    expect({ code, err }).toEqual({ code: '1', err: 'No se puede leer o escribir el archivo (ENOSPC)\n' });
  });
});
