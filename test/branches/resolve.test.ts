import { randomBytes } from 'node:crypto';
import { describe, expect } from 'vitest';
import type { ResolveRequest, ResolveResponse } from '#shared/branches/branch.ts';
import { BranchStore } from '#shared/branches/branch-store.ts';
import { call } from '#test/fixtures/client.ts';
import { INTERNAL_TOKEN, test as services } from '#test/fixtures/services.ts';

const test = services
  .extend('first', { scope: 'file' }, ({ startBranches }) => startBranches())
  .extend('second', { scope: 'file' }, ({ startBranches }) => startBranches())
  .extend('store', { scope: 'file' }, ({ stores }) => new BranchStore(stores.mongo));

const post = (url: string, request: unknown, token = INTERNAL_TOKEN) =>
  call(`${url}/internal/resolve`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-internal-token': token },
    body: JSON.stringify(request),
  });
/** Returns the codes of the origins, then those of the destinations. */
const resolve = async (url: string, request: ResolveRequest) => {
  const { body } = await post(url, request);
  const { origins, destinations } = body as unknown as ResolveResponse;
  return [...origins, ...destinations].map((branch) => branch?.Codigo ?? null);
};

/** Everything that the demo data can be asked. */
const ALL: ResolveRequest = {
  origins: ['mex01 ', 'GDL01', 'CUN01'],
  destinations: [
    { postalCode: '64000' },
    { code: 'gdl01' },
    { code: 'PUE01' },
    { postalCode: '99999' },
    { postalCode: '22000' },
    { postalCode: '77500' },
    { code: 'TIJ01' },
    { code: 'CUN01' },
    { code: 'version' },
  ],
};
const ANSWER = ['MEX01', 'GDL01', null, 'MTY01', 'GDL01', 'PUE01', null, null, null, null, null, null];

describe('POST /internal/resolve', () => {
  test('answers the origins and destinations of whole requests in one call', async ({ first }) => {
    expect(await resolve(first.url, ALL)).toEqual(ANSWER);
  });

  test.for([
    ['XXX99', null],
    ['PUE01', null], // where no guide starts
    ['TIJ01', 'TIJ01'], // which receives nothing
  ] as const)('answers the origin %s with %s', async ([origin, expected], { first }) => {
    expect(await resolve(first.url, { origins: [origin], destinations: [] })).toEqual([expected]);
  });

  test('accepts two tokens while one takes the place of the other', async ({ startBranches }) => {
    const other = randomBytes(32).toString('hex');
    const { url } = await startBranches({ INTERNAL_TOKEN_PREVIOUS: other });
    const statuses = [INTERNAL_TOKEN, other, 'x'.repeat(64), ''].map(
      async (token) => (await post(url, ALL, token)).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 200, 401, 401]);
  });

  test('refuses a body that breaks the contract', async ({ first }) => {
    expect((await post(first.url, { origins: ['MEX01'], destinations: [{ $gt: '' }] })).status).toBe(400);
  });
});

describe('the cache', () => {
  test('costs no answer when Redis has lost it', async ({ first, second, stores }) => {
    await stores.redis.del(`${stores.prefix}:branches`);
    const urls = Array.from({ length: 40 }, (_, index) => (index % 2 ? first.url : second.url));
    const answers = await Promise.all(urls.map((url) => resolve(url, ALL)));
    for (const answer of answers) expect(answer).toEqual(ANSWER);
  });
});

describe('routes', () => {
  const asked: ResolveRequest = {
    origins: ['MEX01'],
    destinations: [{ postalCode: '06600' }, { code: 'MEX01' }, { postalCode: '64000' }, { postalCode: '1' }],
  };

  test('stand beside the destinations, if one has a route', async ({ first, store }) => {
    expect(Object.keys((await post(first.url, asked)).body)).toEqual(['version', 'origins', 'destinations']);
    await store.loadCoverage([
      { postalCode: '06600', code: 'MEX01', route: 'R-12' },
      { postalCode: '64000', code: 'MTY01' },
    ]);
    const routes = ['R-12', null, null, null];
    await expect.poll(async () => (await post(first.url, asked)).body).toMatchObject({ routes });
    expect(await resolve(first.url, asked)).toEqual(['MEX01', 'MEX01', 'MEX01', 'MTY01', null]);
  });
});
