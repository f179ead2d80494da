import { createHmac } from 'node:crypto';
import { describe, expect } from 'vitest';
import { Client, call, minimalGuide } from '#test/fixtures/client.ts';
import { type Api, completed, conformances, refusalsOf, USERS } from '#test/fixtures/conformance.ts';
import { test as systemTest } from '#test/fixtures/system.ts';

/**
 * The contract against the running processes over HTTP: the rows of each room (`test/api/<room>/conformance.ts`). Who may do
 * what is in `test/api/accounts/authorize.test.ts`.
 */

const test = systemTest.extend('api', { scope: 'file' }, async ({ system, secrets }): Promise<Api> => {
  const url = system.addresses.api;
  const users = {} as Api['users'];
  for (const name of USERS) users[name] = await Client.login(url, name);
  return {
    url,
    users,
    anonymous: new Client(url, ''),
    number: (await users.demo.created(minimalGuide()))[0]?.SEND_GUIA ?? '',
    login: (headers) => call(`${url}/api/auth/login`, { method: 'POST', headers }),
    withToken: (claims) => new Client(url, tokenOf(claims, secrets.jwt)),
  };
});

function tokenOf(claims: object, secret: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const content = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
}

const all = await conformances();
const refusals = refusalsOf(all);

describe.each(all)('$room', ({ sections }) => {
  describe.each(Object.entries(sections))('%s', (_, rows) => {
    test.for(rows)('%s', async ([, ask, wanted = {}], { api }) => {
      const { status, headers, body } = await ask(api);
      const expected = completed(wanted, refusals);
      expect(status, body.message).toBe(expected.status ?? 200);
      expect(headers.get('x-request-id')).toBeTruthy();
      if (expected.message !== undefined) expect(body.message).toEqual(expected.message);
      if (expected.data !== undefined) expect(body.data).toEqual(expected.data);
      for (const [name, value] of Object.entries(expected.headers ?? {})) {
        expect(headers.get(name)).toEqual(value);
      }
      if (expected.campo !== undefined) expect(body.details?.[0]?.campo).toBe(expected.campo);
      expect(body.codigo).toBe(expected.codigo);
      expect(body.advertencias).toEqual(expected.advertencias);
      if (body.details) expect(body.details[0]?.codigo).toBe(expected.codigo);
      if (status >= 400) {
        expect(body.response).toBe('ERROR');
        expect(body.requestId).toBe(headers.get('x-request-id'));
      } else if (headers.get('content-type')?.includes('json')) {
        expect(body.response).toBe('OK');
      }
    });
  });
});
