import mongoose, { type Connection } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findGuide } from '#services/api/guides/find-guide.ts';
import { generateGuideNumber } from '#services/api/guides/guide-number.ts';
import { GuideStore } from '#services/api/guides/guide-store.ts';
import type { ApiUser } from '#shared/auth/user-store.ts';
import { Client, type CreatedGuide, minimalGuide } from '#test/fixtures/client.ts';
import { startServices } from '#test/fixtures/old-services.ts';

/** A guide is its creator's: nobody else sees it, or learns that it exists (OWASP API1:2023). */

let system: Awaited<ReturnType<typeof startServices>>;
let other: Client;
/** A guide of `demo`, and one of nobody. */
let number: string;
const nobodys = generateGuideNumber();
beforeAll(async () => {
  system = await startServices({ labels: true });
  const demo = await Client.login(system.url);
  other = await Client.login(system.url, 'otro');
  number = (await demo.created(minimalGuide()))[0]?.SEND_GUIA ?? '';
  // So that its label is in the cache, where it must not be found either.
  for (const path of guidePaths(await openapi())) expect((await demo.pdf(at(path, number))).status).toBe(200);
});
afterAll(() => system.close());

type OpenApi = { paths: Record<string, Record<string, unknown>> };
const openapi = async (): Promise<OpenApi> =>
  (await (await fetch(`${system.url}/api/openapi.json`)).json()) as OpenApi;
const guidePaths = ({ paths }: OpenApi) => Object.keys(paths).filter((path) => path.includes('{guia}'));
const at = (path: string, guide: string) => path.replace('{guia}', guide);

describe('a guide of another user', () => {
  it('is not found by any route that takes a number, as if it did not exist', async () => {
    const paths = guidePaths(await openapi());
    expect(paths.length).toBeGreaterThan(1);
    for (const path of paths) {
      for (const query of ['', '?paquetes=2']) {
        const [theirs, none] = [
          await other.get(at(path, number) + query),
          await other.get(at(path, nobodys) + query),
        ];
        expect(theirs.body).toEqual({
          response: 'ERROR',
          message: 'Guia no encontrada',
          requestId: expect.any(String),
        });
        expect(theirs.status).toBe(404);
        expect(withoutId(theirs)).toEqual(withoutId(none));
      }
    }
  });

  it.each<[string, (path: string) => Promise<{ status: number; headers: Headers }>]>([
    ['by HEAD', (path) => asOther('HEAD', path)],
    ['with any tag', (path) => other.get(path, { 'if-none-match': '*' })],
    ['with a part of it', (path) => other.get(path, { range: 'bytes=0-99' })],
  ])('is not found %s', async (_, ask) => {
    for (const path of guidePaths(await openapi())) {
      const [theirs, none] = [await ask(at(path, number)), await ask(at(path, nobodys))];
      expect([theirs.status, theirs.headers.get('etag')]).toEqual([404, null]);
      expect(headersOf(theirs)).toEqual(headersOf(none));
    }
  });

  it('is not found by who may read, create, or nothing; only by who reads all', async () => {
    for (const [user, status] of [
      ['lectura', 404],
      ['otro', 404],
      ['operaciones', 200],
    ] as const) {
      const client = await Client.login(system.url, user);
      for (const path of guidePaths(await openapi())) {
        expect([user, (await client.pdf(at(path, number))).status]).toEqual([user, status]);
      }
    }
  });
});

describe('looking for a guide', () => {
  let connection: Connection;
  /** What went to the database, and what it gave back. */
  const traffic: object[] = [];
  beforeAll(async () => {
    const uri = (system.env as Record<string, string>).MONGODB_URI ?? '';
    const options = { monitorCommands: true, autoCreate: false, autoIndex: false };
    connection = await mongoose.createConnection(uri, options).asPromise();
    const client = connection.getClient();
    client.on('commandStarted', ({ command: { find, filter, limit } }) =>
      traffic.push({ find, filter, limit }),
    );
    client.on('commandSucceeded', ({ reply }) => {
      traffic.push({ found: (reply as { cursor: { firstBatch: object[] } }).cursor.firstBatch });
    });
  });
  afterAll(() => connection.close());

  // Time is what enumeration by a clock needs, and no clock of a test is as steady as this: the same work.
  it('asks the database the same of one that is another’s and of none, and gets nothing of either', async () => {
    const guides = new GuideStore(connection);
    const user: ApiUser = {
      username: 'otro',
      passwordHash: '',
      permissions: ['guias.read'],
      originBranch: null,
      disabled: false,
    };
    for (const guide of [number, nobodys]) {
      traffic.length = 0;
      await expect(findGuide(guides, guide, user)).rejects.toMatchObject({ code: 'guide-not-found' });
      expect(traffic).toMatchObject([
        { find: 'guides', filter: { _id: { $in: [guide] }, username: 'otro' } },
        { found: [] },
      ]);
    }
    traffic.length = 0;
    expect((await findGuide(guides, number, { ...user, username: 'demo' })).number).toBe(number);
    expect(traffic).toHaveLength(2);
  });
});

describe('guide numbers', () => {
  it('say nothing of how many there are, or of which comes next', async () => {
    const guides = await other.created(...Array.from({ length: 200 }, () => minimalGuide()));
    const numbers = guides.map(({ SEND_GUIA }: CreatedGuide) => Number(SEND_GUIA));
    // Neighbours of random numbers of eleven digits are this far apart on average; of a counter, by one.
    const steps = numbers.slice(1).map((each, index) => Math.abs(each - (numbers[index] ?? 0)));
    expect(Math.min(...steps)).toBeGreaterThan(1_000);
    expect(steps.toSorted((one, another) => one - another)[100]).toBeGreaterThan(1e10);
    const rising = numbers.slice(1).filter((each, index) => each > (numbers[index] ?? 0)).length;
    expect(rising).toBeGreaterThan(50);
    expect(rising).toBeLessThan(150);
  });
});

async function asOther(method: string, path: string) {
  const headers = { authorization: `Bearer ${other.token}` };
  return fetch(system.url + path, { method, headers, signal: AbortSignal.timeout(20_000) });
}

const VARYING = ['x-request-id', 'date'];

function headersOf({ headers }: { headers: Headers }): [string, string][] {
  return [...headers].filter(([name]) => !VARYING.includes(name));
}

function withoutId(answer: { status: number; headers: Headers; body: { requestId?: string } }) {
  const { requestId: _, ...body } = answer.body;
  return { status: answer.status, headers: headersOf(answer), body };
}
