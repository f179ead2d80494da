import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'vitest';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { test as services } from '#test/fixtures/services.ts';

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

test('an account that sends very many large bodies at once waits, then is refused; others are not held up', async ({
  api,
  begin,
  demo,
}) => {
  const sockets = await Promise.all(
    Array.from({ length: 112 }, () => begin(demo, 'Content-Length: 100000')), // which does not arrive
  );
  const refused: string[] = [];
  for (const socket of sockets) socket.on('data', (answer) => refused.push(String(answer)));
  await expect.poll(() => refused.length).toBe(10); // two are worked on, a hundred wait
  for (const answer of refused) {
    expect(answer).toContain('HTTP/1.1 429 Too Many Requests');
    expect(answer).toMatch(/\r\nretry-after: 2\r\n/i);
    expect(JSON.parse(answer.slice(answer.indexOf('{')))).toEqual({
      response: 'ERROR',
      message: 'Demasiadas solicitudes, intente mas tarde',
      codigo: 'cuota_excedida',
      requestId: expect.any(String),
    });
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

test('eighty small bodies without a length at once are all taken', async ({ api, begin }) => {
  const client = await Client.login(api.url, 'demo');
  const body = JSON.stringify({ TipoServicio: 'Domicilio', Guia: [minimalGuide()] });
  const statuses = Array.from({ length: 80 }, async () => {
    const socket = await begin(client, 'Transfer-Encoding: chunked');
    const answer = once(socket, 'data');
    socket.write(`${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`);
    return String(await answer).slice(9, 12);
  });
  expect([...new Set(await Promise.all(statuses))]).toEqual(['200']);
});
