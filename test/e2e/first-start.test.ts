import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { expect } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { test } from '#test/fixtures/folder.ts';

/** A lock file as npm writes it, with a package of another system, one within another, and one with a scope. */
const LOCK = {
  packages: {
    '': {},
    'node_modules/a': {},
    'node_modules/@b/c': {},
    'node_modules/a/node_modules/d': {},
    'node_modules/e': { cpu: ['other'] },
  },
};
/** Says nothing, as npm does, and ends once the test has seen enough. */
const NPM = `#!/bin/sh
mkdir -p node_modules/a node_modules/@b/c
echo '{}' > node_modules/a/package.json
echo '{}' > node_modules/@b/c/package.json
until [ -e seen ]; do sleep 0.1; done
`;

test('the first start says how many packages npm has installed, in lines for a log', async ({
  folder,
  onTestFinished,
}) => {
  await mkdir(join(folder, 'local'));
  await copyFile(join(repoRoot, 'local/run.sh'), join(folder, 'local/run.sh'));
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify(LOCK, null, 2));
  await mkdir(join(folder, 'bin'));
  await writeFile(join(folder, 'bin/npm'), NPM, { mode: 0o755 });
  const PATH = [join(folder, 'bin'), dirname(process.execPath), process.env.PATH].join(delimiter);
  const run = spawn('sh', ['local/run.sh', 'echo', 'started'], {
    cwd: folder,
    env: { ...process.env, PATH },
  });
  onTestFinished(() => void run.kill());
  let said = '';
  for (const stream of [run.stdout, run.stderr])
    stream.on('data', (text) => {
      said += text;
    });
  await expect.poll(() => said).toContain('s: 2 packages\n');
  await writeFile(join(folder, 'seen'), '');
  const [code] = await once(run, 'close');
  expect([code, said.split('\n').at(-2)]).toEqual([0, 'started']);
  expect(said).toMatch(/^Installing about 2 packages, once: .*…\n(?: {2}… \d+ s: .*\n)+started\n$/);
});
