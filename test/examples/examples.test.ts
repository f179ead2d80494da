import { execFile, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { findProgram } from '#local/programs/ensure-programs.ts';
import { test } from './example.ts';
import { expectReceives, newCases, PROGRAMS, SECRET } from './webhooks.ts';

const EXAMPLES = readdirSync(PROGRAMS).filter((name) => /^[^.]+\.(?!md$)/.test(name));

/** Tells whether this machine has the language of an example; test/vitest.config.ts says which ones are missing. */
const isThere = ([program]: readonly [program: string, ...unknown[]]) =>
  program === process.execPath || findProgram(program) !== undefined;

const CLIENTS = [
  ['sh', 'curl.sh'],
  [process.execPath, 'node.mjs'],
  ['php', 'php.php'],
  ['python3', 'python.py'],
] as const;

test.for(CLIENTS.filter(isThere))(
  '%s: examples/%s creates guides once and prints them, though answers are lost',
  ([program, example], { run }) => run(program, example),
);

test('examples/README.md makes a key for them', async ({ api }) => {
  const page = readFileSync(join(repoRoot, 'examples/README.md'), 'utf8');
  const block = page.split(/^```(?:sh)?$/m).find((each) => each.includes('export LLAVE=')) ?? '';
  const commands = `${block.replace('http://127.0.0.1:3000', api.url)}\necho "$LLAVE"`;
  const { stdout } = await promisify(execFile)('sh', ['-eu', '-c', commands]);
  expect(stdout.trim()).toMatch(/^gk_live_[\w-]+$/);
});

const RECEIVERS: [program: string, example: string, options?: (port: number) => string[]][] = [
  [process.execPath, 'webhook.mjs'],
  ['php', 'webhook.php', (port) => ['-S', `127.0.0.1:${port}`]],
  ['python3', 'webhook.py'],
];

test.for(RECEIVERS.filter(isThere))(
  '%s: examples/%s takes messages that are authentic and each event once, and outlives errors',
  async ([program, example, options], { folder }) => {
    const kept = join(folder, example);
    await expectReceives((port) => [program, ...(options?.(port) ?? []), example], kept);
  },
);

test('every example is run', () => {
  const run = [...CLIENTS, ...RECEIVERS].map(([, example]) => example);
  expect([...run, 'webhook.sh'].toSorted()).toEqual(EXAMPLES.toSorted());
});

test('examples/webhook.sh knows messages that are authentic', () => {
  for (const [name, headers, input, authentic] of newCases()) {
    const env = {
      ...process.env,
      SECRETO: SECRET,
      ID: headers['webhook-id'] ?? '',
      HORA: headers['webhook-timestamp'] ?? '0',
      FIRMAS: headers['webhook-signature'] ?? '',
    };
    const { status } = spawnSync('sh', [join(PROGRAMS, 'webhook.sh')], { env, input });
    expect([name, status]).toEqual([name, authentic ? 0 : 1]);
  }
});

test('the guide shows how examples/webhook.mjs knows messages that are authentic', () => {
  const page = readFileSync(join(repoRoot, 'services/api/webhooks/webhooks.md'), 'utf8');
  const shown = page.split('```').find((block) => block.startsWith('\nfunction esAutentico('));
  expect(readFileSync(join(PROGRAMS, 'webhook.mjs'), 'utf8')).toContain(
    shown ?? 'no such function on the page',
  );
});
