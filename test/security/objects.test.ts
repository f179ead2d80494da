import mongoose from 'mongoose';
import { describe, expect } from 'vitest';
import { findGuide } from '#services/api/guides/guide-access.ts';
import { generateGuideNumber } from '#services/api/guides/guide-number.ts';
import { GuideStore } from '#services/api/guides/guide-store.ts';
import type { ApiUser } from '#shared/auth/user-store.ts';
import { Client } from '#test/fixtures/client.ts';
import { printingTest as services } from '#test/fixtures/services.ts';

/** A guide is its account's: nobody else sees it, or learns that it exists (OWASP API1:2023). */

/** A guide of nobody; `number` is one of `demo`. */
const nobodys = generateGuideNumber();
const at = (path: string, guide: string) => path.replace('{guia}', guide);

const test = services
  .extend('other', { scope: 'file' }, ({ api }) => Client.login(api.url, 'otro'))
  /** Every path that takes the number of a guide, and reads. */
  .extend('guidePaths', { scope: 'file' }, async ({ api, demo, number }) => {
    const openapi = await (await fetch(`${api.url}/api/openapi.json`)).json();
    const paths = Object.entries((openapi as { paths: Record<string, object> }).paths).flatMap(
      ([path, methods]) => (path.includes('{guia}') && 'get' in methods ? [path] : []),
    );
    // So that its label is in the cache, where it must not be found either.
    for (const path of paths) expect((await demo.pdf(at(path, number))).status).toBe(200);
    return paths;
  })
  /** The api's database, and what went to it and came back through this connection. */
  .extend('watched', { scope: 'file' }, async ({ stores }, { onCleanup }) => {
    const traffic: object[] = [];
    const options = { monitorCommands: true, autoCreate: false, autoIndex: false };
    const connection = await mongoose.createConnection(stores.mongoUri, options).asPromise();
    onCleanup(() => connection.close());
    const client = connection.getClient();
    client.on('commandStarted', ({ command: { find, filter, limit } }) =>
      traffic.push({ find, filter, limit }),
    );
    client.on('commandSucceeded', ({ reply }) => {
      traffic.push({ found: (reply as { cursor: { firstBatch: object[] } }).cursor.firstBatch });
    });
    return { connection, traffic };
  });

describe('a guide of another account', () => {
  test('is not found by any route that takes a number, as if it did not exist', async ({
    guidePaths,
    number,
    other,
  }) => {
    expect(guidePaths.length).toBeGreaterThan(1);
    for (const path of guidePaths) {
      for (const query of ['', '?paquetes=2']) {
        const [theirs, none] = [
          await other.get(at(path, number) + query),
          await other.get(at(path, nobodys) + query),
        ];
        expect(withoutId(theirs)).toEqual(withoutId(none));
        if (query && !/pequena|10x15/.test(path)) {
          expect(theirs.body.codigo).toBe('parametro_desconocido');
          continue;
        }
        expect(theirs.body).toEqual({
          response: 'ERROR',
          message: 'Guia no encontrada',
          codigo: 'guia_no_encontrada',
          requestId: expect.any(String),
        });
        expect(theirs.status).toBe(404);
      }
    }
  });

  test.for<[string, (other: Client, path: string) => Promise<{ status: number; headers: Headers }>]>([
    ['by HEAD', head],
    ['with any tag', (other, path) => other.get(path, { 'if-none-match': '*' })],
    ['with a part of it', (other, path) => other.get(path, { range: 'bytes=0-99' })],
  ])('is not found %s', async ([_, ask], { guidePaths, number, other }) => {
    for (const path of guidePaths) {
      const [theirs, none] = [await ask(other, at(path, number)), await ask(other, at(path, nobodys))];
      expect([theirs.status, theirs.headers.get('etag')]).toEqual([404, null]);
      expect(headersOf(theirs)).toEqual(headersOf(none));
    }
  });

  test('is found only by users of its account and with guias.read.all', async ({
    api,
    guidePaths,
    number,
  }) => {
    for (const [user, status] of [
      ['lectura', 404],
      ['otro', 404],
      ['demo2', 200],
      ['operaciones', 200],
    ] as const) {
      const client = await Client.login(api.url, user);
      for (const path of guidePaths) {
        expect([user, (await client.pdf(at(path, number))).status]).toEqual([user, status]);
      }
    }
  });
});

describe('looking for a guide', () => {
  // Time is what enumeration by a clock needs, and no clock of a test is as steady as this: the same work.
  test('sends the database the same query for another account’s guide and for none, and gets nothing back', async ({
    number,
    watched,
  }) => {
    const guides = new GuideStore(watched.connection);
    const user: ApiUser = {
      username: 'otro',
      account: 'otro',
      passwordHash: '',
      permissions: ['guias.read'],
      originBranch: null,
      disabled: false,
      demo: false,
      tokenGeneration: 0,
      revokedTokens: [],
    };
    for (const guide of [number, nobodys]) {
      watched.traffic.length = 0;
      await expect(findGuide(guides, guide, user)).rejects.toMatchObject({ code: 'guide-not-found' });
      expect(watched.traffic).toMatchObject([
        {
          find: 'guides',
          filter: { _id: { $in: [guide] }, account: 'otro' },
        },
        { found: [] },
      ]);
    }
    watched.traffic.length = 0;
    expect((await findGuide(guides, number, { ...user, account: 'demo' })).number).toBe(number);
    expect(watched.traffic).toHaveLength(2);
  });
});

describe('guide numbers', () => {});

function head({ url, token }: Client, path: string): Promise<Response> {
  const headers = { authorization: `Bearer ${token}` };
  return fetch(url + path, { method: 'HEAD', headers, signal: AbortSignal.timeout(20_000) });
}

const VARYING = ['x-request-id', 'date', 'ratelimit'];

function headersOf({ headers }: { headers: Headers }): [string, string][] {
  return [...headers].filter(([name]) => !VARYING.includes(name));
}

function withoutId(answer: { status: number; headers: Headers; body: { requestId?: string } }) {
  const { requestId: _, ...body } = answer.body;
  return { status: answer.status, headers: headersOf(answer), body };
}
