import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'vitest';
import { test } from './example.ts';
import { CASES, expectOnPage, expectReceives, PROGRAMS, SECRET } from './webhooks.ts';

test('examples/curl.sh creates guides once and prints them, though answers are lost', ({ run }) =>
  run('sh', 'curl.sh'));

test('examples/node.mjs creates guides once and prints them, though answers are lost', ({ run }) =>
  run(process.execPath, 'node.mjs'));

test('examples/webhook.mjs takes messages that are authentic, and no other', async () => {
  await expectReceives(() => [process.execPath, 'webhook.mjs']);
  expectOnPage('webhook.mjs', 'function esAutentico(headers');
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
