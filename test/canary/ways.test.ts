import { expect, test } from 'vitest';
import { customersWay, processWays } from '#services/canary/http/ways.ts';

const URL = 'http://api-each:3000';

test('there is a way for each address that the DNS names now', async () => {
  let addresses = ['10.0.0.1', 'fd00::2'];
  const list = processWays(URL, async (name) => {
    expect(name).toBe('api-each');
    return addresses;
  });
  expect(await list()).toEqual([
    { way: 'process', host: '10.0.0.1:3000', url: URL, address: '10.0.0.1' },
    { way: 'process', host: '[fd00::2]:3000', url: URL, address: 'fd00::2' },
  ]);
  addresses = ['10.0.0.1'];
  expect((await list()).map(({ host }) => host)).toEqual(['10.0.0.1:3000']);
  addresses = [];
  expect(await list()).toEqual([]);
});

test('while the DNS does not answer, the processes are those of its last answer', async () => {
  let isAway = false;
  const list = processWays(URL, async () => {
    if (isAway) throw new Error('EAI_AGAIN');
    return ['10.0.0.1'];
  });
  const known = await list();
  isAway = true;
  expect(await list()).toEqual(known);
});

test('a look-up that takes long is waited for no longer than two seconds', async () => {
  let isSlow = false;
  const list = processWays(URL, () => (isSlow ? new Promise(() => {}) : Promise.resolve(['10.0.0.1'])));
  const known = await list();
  isSlow = true;
  expect(await list()).toEqual(known);
});

test('the operating system resolves names; one that nobody knows has no process', async () => {
  const hostsOf = async (url: string) => (await processWays(url)()).map(({ host }) => host);
  expect(await hostsOf('http://127.0.0.1:3000')).toEqual(['127.0.0.1:3000']);
  expect(await hostsOf('https://[::1]')).toEqual(['[::1]:443']);
});

test('customers have one way, whatever their name leads to', () => {
  const url = 'https://guias.example';
  expect(customersWay(url)).toEqual({ way: 'customers', host: 'guias.example', url });
});
