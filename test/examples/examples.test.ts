import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { findProgram } from '#local/programs/ensure-programs.ts';
import { test } from './example.ts';
import { CASES, expectOnPage, expectReceives, PROGRAMS, SECRET } from './webhooks.ts';

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

const RECEIVERS: [program: string, example: string, shown: string, options?: (port: number) => string[]][] = [
  [process.execPath, 'webhook.mjs', 'function esAutentico(headers'],
  ['php', 'webhook.php', 'function esAutentico(array', (port) => ['-S', `127.0.0.1:${port}`]],
  ['python3', 'webhook.py', 'def es_autentico'],
];

test.for(RECEIVERS.filter(isThere))(
  '%s: examples/%s takes messages that are authentic and each event once, and outlives errors',
  async ([program, example, shown, options], { folder }) => {
    const kept = join(folder, example);
    await expectReceives((port) => [program, ...(options?.(port) ?? []), example], kept);
    expectOnPage(example, shown);
  },
);

test('every example is run', () => {
  const run = [...CLIENTS, ...RECEIVERS].map(([, example]) => example);
  expect([...run, 'webhook.sh'].toSorted()).toEqual(EXAMPLES.toSorted());
});

test('examples/webhook.sh knows messages that are authentic', () => {
  for (const [name, headers, input, authentic] of CASES) {
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
  expectOnPage('webhook.sh', 'es_autentico()');
});
