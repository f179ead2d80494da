import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { expect } from 'vitest';
import type { Client } from '#test/fixtures/client.ts';
import { event } from '#test/fixtures/events.ts';
import { outcomeOf, pathOf, test } from './fixture.ts';

/** Uploads of phones with little network: they hold up nobody but each other. */

/** Of the 64 MiB that a process takes in at a time. */
const MIB = 1024 * 1024;
const PHONES = 300;

/** Begins an upload of 1 MiB whose bytes do not come. */
function startUpload(
  { url, token }: Client,
  path: string,
): { sending: ClientRequest; answer: Promise<IncomingMessage> } {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'image/jpeg', 'content-length': MIB };
  const sending = request(url + path, { method: 'PUT', headers });
  const answer = once(sending, 'response').then(([response]) => response as IncomingMessage);
  answer.catch(() => {}); // it is cut in the end
  sending.write(Buffer.alloc(10));
  return { sending, answer };
}

test('300 phones that send slowly hold up no scan, those without a turn come again, and their end frees all turns', async ({
  delivered,
  register,
  scanner,
  send,
}) => {
  const guide = await delivered();
  const uploads = Array.from({ length: PHONES }, () => startUpload(scanner, pathOf(guide, 'e1', 'foto1')));
  const refused = uploads.map(async ({ answer }) => {
    const response = await answer;
    const { codigo } = (await json(response)) as { codigo: string };
    return { status: response.statusCode, codigo, 'retry-after': response.headers['retry-after'] };
  });
  const scans = Array.from({ length: 400 }, (_, i) => event(guide, 'EnReparto', { Id: `s${i}` }));
  expect(JSON.stringify(scans).length).toBeGreaterThan(32 * 1024); // so it takes the turn of a large body
  expect((await register(...scans)).status).toBe(200);
  const overloaded = { status: 503, codigo: 'saturado', 'retry-after': '10' };
  const first = await Promise.all([1, 2, 3].map(() => Promise.race(refused)));
  expect(first).toEqual(first.map(() => overloaded));
  for (const { sending } of uploads) sending.destroy();
  await Promise.allSettled(refused);
  await expect.poll(async () => outcomeOf(await send(guide, 'foto2'))).toEqual([200, 'Evidencia guardada']);
});
