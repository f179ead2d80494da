import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DEMO_USERS } from '#local/demo-data.ts';
import { repoRoot } from '#local/folders.ts';
import { readyMessage } from '#local/start/ready-message.ts';
import { warnOfIncompleteAddresses, warnOfOtherStates } from '#services/api/guides/address-warnings.ts';
import { parseGuideRequest } from '#services/api/guides/guide-request.ts';

it('the first guide of README.md earns no warning', async () => {
  const text = readFileSync(join(repoRoot, 'README.md'), 'utf8');
  const [, body = ''] = /^GUIA=.*? -d '(.*)' \|/m.exec(text) ?? [];
  const { service, guides, warnings } = await parseGuideRequest(JSON.parse(body));
  warnOfOtherStates(warnings, guides);
  warnOfIncompleteAddresses(warnings, service, guides);
  expect([guides.length, warnings.first]).toEqual([1, []]);
});

it('the commands of README.md "First request" are those that npm start prints', () => {
  const readme = readFileSync(join(repoRoot, 'README.md'), 'utf8');
  const [, section = ''] = readme.split('## First request\n');
  const blocks = [...(section.split(/^## /m)[0] ?? '').matchAll(/^```sh\n([\s\S]*?)^```/gm)];
  const lines = blocks.flatMap(([, block = '']) => block.trimEnd().split('\n'));
  const address = 'http://127.0.0.1:';
  const addresses = {
    api: `${address}3000`,
    branches: `${address}3001`,
    'label-worker': `${address}3002`,
    dashboard: `${address}3003`,
    webhooks: `${address}3004`,
    canary: `${address}3006`,
  };
  const told = { seconds: '1', addresses, servers: {}, logFolder: '' };
  const message = readyMessage({ ...told, users: new Set(['demo']) }).split('\n');
  expect(lines.length).toBe(4);
  expect(message).toEqual(expect.arrayContaining(lines));
  expect(message.join('\n')).toContain(`${address}3000/cotizador`);
  expect(message.join('\n')).toContain(`${address}3000/mostrador`);
  expect(message.join('\n')).toContain(`Canary        ${address}3006   a customer of our own`);
  const canaryProblem = 'El usuario guardia-cliente no es del cliente de prueba (canary)';
  const without = readyMessage({ ...told, users: new Set(), canaryProblem });
  expect(without).toContain(
    `Canary        does not run, so nobody tries what customers do: ${canaryProblem}\n`,
  );
  expect(without).not.toContain('3006');
  // A database that an earlier release has filled lacks users.
  expect(message.join('\n')).not.toMatch(/operaciones|soporte|prueba"/);
  const all = readyMessage({ ...told, users: new Set(DEMO_USERS.map(({ username }) => username)) });
  for (const name of ['demo', 'prueba', 'operaciones', 'soporte'])
    expect(all).toContain(`"${name}", password "demo1234"`);
});
