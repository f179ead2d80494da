import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test as base, expect } from 'vitest';
import { Credential } from '#services/canary/http/credential.ts';
import { Customer } from '#services/canary/http/customer.ts';
import { customersWay } from '#services/canary/http/ways.ts';
import { passTime } from '#test/fixtures/pass-time.ts';

/** A service that takes one key, and what was asked of it. */
const test = base
  .extend('service', async ({}, { onCleanup }) => {
    const state = { key: 'one', refusal: 401, asked: [] as string[] };
    const server = createServer(({ headers }, response) => {
      const key = headers.authorization?.replace('Bearer ', '') ?? '';
      state.asked.push(key);
      response.writeHead(key === state.key ? 200 : state.refusal).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onCleanup(() => void server.close());
    return Object.assign(state, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  })
  /** The key's file, and what happens to a request with it. */
  .extend('file', () => ({ text: 'one', isAway: false }))
  .extend('ask', ({ service, file }) => {
    const key = new Credential(() => {
      if (file.isAway) throw new Error('ENOENT');
      return file.text;
    }, 60_000);
    const customer = new Customer(customersWay(service.url), key);
    return () =>
      customer.send({ path: '/', deadlineMs: 20_000 }).then(
        ({ status }) => status,
        (error: Error) => error.name,
      );
  });

test('after a 401 nothing is asked until the file has another key', async ({ service, file, ask }) => {
  expect(await ask()).toBe(200);
  service.key = 'two';
  expect([await ask(), await ask(), await ask()]).toEqual([
    'CredentialRefused',
    'CredentialRefused',
    'CredentialRefused',
  ]);
  expect(service.asked).toEqual(['one', 'one']);
  file.text = 'two';
  expect([await ask(), await ask()]).toEqual([200, 200]);
  expect(service.asked).toEqual(['one', 'one', 'two', 'two']);
});

test('a file that is away changes nothing', async ({ service, file, ask }) => {
  service.key = 'two';
  file.isAway = true;
  expect([await ask(), await ask()]).toEqual(['CredentialRefused', 'CredentialRefused']);
  expect(service.asked).toEqual(['one']);
});

test('the same key is tried once a minute, because it may be stored only now', async ({ service, ask }) => {
  service.key = '';
  await ask();
  passTime(61_000);
  service.refusal = 429;
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([
    'CredentialRefused',
    'CredentialRefused',
    'CredentialRefused',
  ]);
  expect(service.asked).toHaveLength(2);
  passTime(61_000);
  service.key = 'one';
  expect([await ask(), await ask()]).toEqual([200, 200]);
});

test('what a limit refuses is no wrong key', async ({ service, ask }) => {
  service.key = '';
  service.refusal = 429;
  expect([await ask(), await ask()]).toEqual(['UnexpectedAnswer', 'UnexpectedAnswer']);
  expect(service.asked).toHaveLength(2);
});
