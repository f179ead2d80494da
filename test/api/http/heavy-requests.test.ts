import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, vi } from 'vitest';
import { guides } from '#services/api/guides/room.ts';
import { tracking } from '#services/api/tracking/room.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { type RunningApi, test as services } from '#test/fixtures/services.ts';

/** Guides of more than 16 KiB together. */
const LARGE = Array.from({ length: 400 }, () => minimalGuide());

const test = services.extend('begin', { scope: 'file' }, ({ api }, { onCleanup }) => {
  const sockets: Socket[] = [];
  onCleanup(() => {
    for (const socket of sockets) socket.destroy();
  });
  /** Sends the head of a creation. */
  return async (client: Client, framing: string): Promise<Socket> => {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    sockets.push(socket);
    await once(socket, 'connect');
    const head = ['POST /api/guias/crear HTTP/1.1', 'Host: api', 'Content-Type: application/json'];
    head.push(`Authorization: Bearer ${client.token}`, framing, '', '');
    socket.write(head.join('\r\n'));
    return socket;
  };
});

test('many large bodies of an account wait, others do not', async ({ api, begin, demo }) => {
  const sockets = await Promise.all(
    Array.from({ length: 112 }, () => begin(demo, 'Content-Length: 100000')), // which does not arrive
  );
  const refused: string[] = [];
  for (const socket of sockets) socket.on('data', (answer) => refused.push(String(answer)));
  await expect.poll(() => refused.length).toBe(10); // two are worked on, a hundred wait
  for (const answer of refused) {
    expect(answer).toContain('HTTP/1.1 429 Too Many Requests');
    expect(answer).toMatch(/\r\nretry-after: 2\r\n/i);
    expect(JSON.parse(answer.slice(answer.indexOf('{'))).codigo).toBe('cuota_excedida');
  }
  expect((await demo.create([minimalGuide()])).status).toBe(200);
  const other = await Client.login(api.url, 'otro');
  expect((await other.create(LARGE)).status).toBe(200);

  // Who leaves makes room: for the one that waits first, and for those behind it.
  for (const socket of sockets.splice(0, 20)) socket.destroy();
  const waiting = expect.poll(async () => (await demo.create(LARGE)).status).toBe(200);
  for (const socket of sockets) socket.destroy();
  await waiting;
});

/** Holds up the reads of `demo` until `release`, and counts them. */
function holdReads({ contextOf }: RunningApi, number: string) {
  const { guideList } = contextOf(guides);
  const { eventLog } = contextOf(tracking);
  const held = Promise.withResolvers<void>();
  let begun = 0;
  const hold = async (isTheirs: boolean) => {
    if (!isTheirs) return;
    begun++;
    await held.promise;
  };
  const [page, feed, ofGuide] = [guideList.page, eventLog.page, eventLog.wholeOfGuide];
  const spies = [
    vi.spyOn(guideList, 'page').mockImplementation(async (...of) => {
      await hold(of[0].account === 'demo');
      return page.apply(guideList, of);
    }),
    vi.spyOn(eventLog, 'page').mockImplementation(async (...of) => {
      await hold(of[0] === 'demo');
      return feed.apply(eventLog, of);
    }),
    vi.spyOn(eventLog, 'wholeOfGuide').mockImplementation(async (wanted) => {
      await hold(wanted === number);
      return ofGuide.call(eventLog, wanted);
    }),
  ];
  onTestFinished(() => {
    held.resolve();
    for (const spy of spies) spy.mockRestore();
  });
  return { begun: () => begun, release: held.resolve };
}

const READS = (number: string) => [
  '/api/guias?estatus=Entregado',
  '/api/eventos',
  `/api/guias/${number}/eventos`,
];

test('an account reads four lists at a time, others do not wait', async ({ api, demo, number }) => {
  const { begun, release } = holdReads(api, number);
  const paths = READS(number);
  const refused: unknown[] = [];
  const answers = Array.from({ length: 114 }, async (_, i) => {
    const answer = await demo.get(paths[i % 3] as string);
    if (answer.status === 429) refused.push([answer.headers.get('retry-after'), answer.body.codigo]);
    return answer.status;
  });
  await expect.poll(() => refused.length).toBe(10); // four are worked on, a hundred wait
  expect(begun()).toBe(4);
  expect(refused[0]).toEqual(['2', 'cuota_excedida']);
  const other = await Client.login(api.url, 'otro');
  for (const path of paths.slice(0, 2)) expect((await other.get(path)).status).toBe(200);
  // Neither its large bodies nor what is read by its number waits behind them.
  expect((await demo.create(LARGE)).status).toBe(200);
  expect((await demo.get(`/api/guias/${number}`)).status).toBe(200);
  release();
  expect((await Promise.all(answers)).toSorted()).toEqual([...Array(104).fill(200), ...Array(10).fill(429)]);
});

test('clients that leave while their lists are read give their turns back', async ({ api, demo, number }) => {
  const { begun, release } = holdReads(api, number);
  const [path = ''] = READS(number);
  let left = 0;
  const watch = (_: IncomingMessage, response: ServerResponse) => response.once('close', () => left++);
  api.server.server.on('request', watch);
  onTestFinished(() => void api.server.server.off('request', watch));
  const leaving = new AbortController();
  const reads = Array.from({ length: 4 }, () =>
    fetch(`${api.url}${path}`, {
      headers: { authorization: `Bearer ${demo.token}` },
      signal: leaving.signal,
    }).catch(() => 'left'),
  );
  await expect.poll(begun).toBe(4);
  leaving.abort();
  expect(await Promise.all(reads)).toEqual(Array(4).fill('left'));
  await expect.poll(() => left).toBe(4);
  release();
  expect((await demo.get(path)).status).toBe(200);
});
