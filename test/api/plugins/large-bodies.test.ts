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
  /** Begins a creation whose body does not arrive. */
  return async (client: Client): Promise<Socket> => {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    sockets.push(socket);
    await once(socket, 'connect');
    const head = ['POST /api/guias/crear HTTP/1.1', 'Host: api', 'Content-Type: application/json'];
    head.push(`Authorization: Bearer ${client.token}`, 'Content-Length: 100000', '', '');
    socket.write(head.join('\r\n'));
    return socket;
  };
});

test('an account that sends many large bodies at once waits, and then is refused; others are not held up', async ({
  api,
  begin,
  demo,
}) => {
  const sockets = await Promise.all(Array.from({ length: 42 }, () => begin(demo)));
  const refused: string[] = [];
  for (const socket of sockets) socket.on('data', (answer) => refused.push(String(answer)));
  await expect.poll(() => refused.length).toBe(10); // two are worked on, thirty wait
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

test('a refused body keeps its place for a while, which the next ones of its account wait for', async ({
  api,
}) => {
  const [refused, other] = await Promise.all([Client.login(api.url, 'otro'), Client.login(api.url, 'demo')]);
  const large = LARGE.slice(0, 150);
  const wrong = [{ ...minimalGuide(), Notas: 'x'.repeat(2 * 2 ** 20) }];
  const answers = await Promise.all([refused.create(wrong), refused.create(wrong)]);
  const began = performance.now();
  expect(answers.map(({ status }) => status)).toEqual([400, 400]);
  expect((await other.create(large)).status).toBe(200);
  expect((await refused.create(large)).status).toBe(200);
  expect(performance.now() - began).toBeGreaterThan(1_500); // 2 s at most for 2 MiB, from the answer on
});
