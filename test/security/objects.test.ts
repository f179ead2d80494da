import { describe, expect } from 'vitest';
import { generateGuideNumber } from '#services/api/guides/guide-number.ts';
import { KINDS } from '#shared/labels/label-kinds.ts';
import { pathOf, put } from '#test/api/evidence/fixture.ts';
import { Client } from '#test/fixtures/client.ts';
import { event } from '#test/fixtures/events.ts';
import { printingTest as services } from '#test/fixtures/services.ts';
import { recordCommands } from '#test/security/privilege/mongo-commands.ts';

/** A guide is its account's: nobody else sees it, or learns that it exists (OWASP API1:2023). */

/** A guide of nobody; `number` is one of `demo`. */
const nobodys = generateGuideNumber();
/** An event of the guide, and its picture. */
const [EVENT, PICTURE] = ['e1', 'firma'];
const at = (path: string, guide: string) =>
  path.replace('{guia}', guide).replace('{Id}', EVENT).replace('{imagen}', PICTURE);
/** Whether a path is that of a label with a page for each package. */
const takesPackages = (path: string) =>
  Object.values(KINDS).some((kind) => kind.pagePerPackage && path.includes(`/${kind.path}/`));

const test = services
  .extend('other', { scope: 'file' }, ({ api }) => Client.login(api.url, 'otro'))
  /** Every path that takes the number of a guide, and reads. */
  .extend('guidePaths', { scope: 'file' }, async ({ api, demo, number }) => {
    const scanner = await Client.login(api.url, 'escaner');
    await scanner.post('/api/eventos', { Eventos: [event(number, 'Entregado', { Id: EVENT })] });
    await put(scanner, pathOf(number, EVENT, PICTURE));
    const openapi = await (await fetch(`${api.url}/api/openapi.json`)).json();
    const paths = Object.entries((openapi as { paths: Record<string, object> }).paths).flatMap(
      ([path, methods]) => (path.includes('{guia}') && 'get' in methods ? [path] : []),
    );
    // So that its label is in the cache, where it must not be found either.
    for (const path of paths) expect((await demo.pdf(at(path, number))).status).toBe(200);
    return paths;
  });

describe('a guide of another account', () => {
  test('is not found by any route, as if it did not exist', async ({ guidePaths, number, other }) => {
    expect(guidePaths.length).toBeGreaterThan(1);
    for (const path of guidePaths) {
      for (const query of ['', '?paquetes=2']) {
        const [theirs, none] = [
          await other.get(at(path, number) + query),
          await other.get(at(path, nobodys) + query),
        ];
        expect(withoutId(theirs)).toEqual(withoutId(none));
        if (query && !takesPackages(path)) {
          expect(theirs.body.codigo).toBe('parametro_desconocido');
          continue;
        }
        expect(theirs.body).toEqual({
          response: 'ERROR',
          message: expect.any(String),
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

  // A clock would show what the database does more for one of the two, and no clock of a test is steady enough.
  test('costs the database the same query as a number of nobody', async ({ number, startApi, stores }) => {
    const { uri, commands, close } = await recordCommands(stores.mongoUri);
    const { url, server } = await startApi({ MONGODB_URI: uri });
    const other = await Client.login(url, 'otro');
    for (const guide of [number, nobodys]) {
      commands.length = 0;
      expect((await other.get(`/api/guias/${guide}`)).status).toBe(404);
      // Without those of sweeps, which look for what a crash has cut.
      const finds = commands.filter(
        ({ find, filter }) => /^(guides|events)$/.test(`${find}`) && !('openSince' in (filter as object)),
      );
      expect(finds).toMatchObject([{ find: 'guides', filter: { _id: { $in: [guide] }, account: 'otro' } }]);
    }
    await server.close();
    await close();
  });

  test('is found by its account, and with guias.read.all', async ({ api, guidePaths, number }) => {
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
