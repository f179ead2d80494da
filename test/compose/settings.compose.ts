import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { test } from '#test/fixtures/folder.ts';
import { ComposeProject } from './compose-project.ts';

type Services = Record<string, { environment: Record<string, string | null> }>;

/** Returns what Compose hands over to the services. */
async function handedOver(variables: Record<string, string>, file: string): Promise<Services> {
  const project = new ComposeProject('guias-test-settings', variables);
  return JSON.parse(await project.compose('--env-file', file, 'config', '--format', 'json')).services;
}

test('a setting comes from the environment or a file, or is not there', async ({ folder }) => {
  const file = join(folder, '.env');
  writeFileSync(file, 'RETENTION_DAYS=3650\nTRUST_PROXY=1\nCOOKIE_SECURE=true\n');
  const services = await handedOver({ PRINT_CONCURRENCY: '1' }, file);
  expect(services['label-worker']?.environment.PRINT_CONCURRENCY).toBe('1');
  expect(services.api?.environment).toMatchObject({ RETENTION_DAYS: '3650', TRUST_PROXY: '1' });
  expect(services.dashboard?.environment).toMatchObject({ TRUST_PROXY: '1', COOKIE_SECURE: 'true' });
  expect(services.api?.environment.TIME_ZONE ?? null).toBe(null);
});

test('DOMAIN sets what a service behind Caddy needs, and the operator may say otherwise', async ({
  folder,
}) => {
  const file = join(folder, '.env');
  writeFileSync(file, '');
  const names = ['COOKIE_SECURE', 'PUBLIC_URL', 'TRUST_PROXY', 'CUSTOMERS_URL'];
  const given = async (variables: Record<string, string>) => {
    const environment = (await handedOver(variables, file)).dashboard?.environment ?? {};
    return names.map((name) => environment[name]);
  };
  expect(await given({})).toEqual(['', '', '', 'http://api:3000']);
  expect(await given({ DOMAIN: 'guias.example' })).toEqual([
    'true',
    'https://guias.example',
    '1',
    'https://guias.example',
  ]);
  const own = {
    DOMAIN: 'guias.internal',
    PUBLIC_URL: 'https://api.example',
    TRUST_PROXY: '2',
    CUSTOMERS_URL: 'http://api:3000',
  };
  expect(await given(own)).toEqual(['true', 'https://api.example', '2', 'http://api:3000']);
});
