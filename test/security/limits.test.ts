import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { ignoreBodies } from '#services/api/http/ignored-body.ts';
import { buildHttpServer } from '#shared/http/build-http-server.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { call } from '#test/fixtures/client.ts';
import { test as services } from '#test/fixtures/services.ts';

/**
 * How much one address, one connection and one request may take. Limits on logins are in
 * `test/api/accounts/login-limit.test.ts`.
 */

const test = services
  /** The port of a server that waits for a request as ours do, but not as long. */
  .extend('impatient', { scope: 'file' }, async ({}, { onCleanup }) => {
    const server = await buildHttpServer({ log: createLogger('test', 'silent') }, async (server) => {
      server.post('/echo', async ({ body }) => body);
      await server.register(async (login) => {
        ignoreBodies(login);
        login.post('/ignores-bodies', async () => ({}));
      });
    });
    onCleanup(() => server.close());
    const { requestTimeout, headersTimeout } = server.server;
    expect({ requestTimeout, headersTimeout }).toEqual({ requestTimeout: 30_000, headersTimeout: 10_000 });
    Object.assign(server.server, {
      requestTimeout: 3_000,
      headersTimeout: 2_000,
      connectionsCheckingInterval: 50,
    });
    return Number(new URL(await server.listen({ host: '127.0.0.1', port: 0 })).port);
  });

describe('a request', () => {
  test.for(['/api/guias/crear', '/api/auth/login'])(
    'to %s whose body without Content-Length grows beyond 4 MiB is refused',
    async (path, { api, demo }) => {
      const chunk = new Uint8Array(64 * 1024).fill(0x20);
      let sent = 0;
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          sent += chunk.length;
          if (sent > 64 * 1024 * 1024) controller.close();
          else controller.enqueue(chunk);
        },
      });
      const response = await fetch(api.url + path, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${demo.token}`,
          'content-type': 'application/json',
          'x-username': 'demo',
          'x-password': 'demo1234',
        },
        body,
        duplex: 'half',
      } as RequestInit).catch(() => undefined);
      // The connection may be cut before the answer was read: then the client sees that.
      if (response) expect(response.status).toBe(413);
      expect(sent).toBeLessThan(32 * 1024 * 1024);
    },
  );

  // A proxy does so: it reads the answer when it has sent the body, and answers 502 where the connection was reset.
  test('of 15 MiB, sent whole by a slow line before the answer is read, is refused in full', async ({
    api,
    demo,
  }) => {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    const length = 15 * 1024 * 1024;
    const head = [
      'POST /api/guias/crear HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${demo.token}`,
      'Content-Type: application/json',
      `Content-Length: ${length}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    for (let sent = 0; sent < length; sent += 512 * 1024) {
      if (!socket.write(Buffer.alloc(512 * 1024, 0x20))) await once(socket, 'drain');
      await sleep(100);
    }
    const answer = (await socket.toArray()).join('');
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('"codigo":"cuerpo_muy_grande"');
  });
});

describe('a slow connection', () => {
  /** Connects, lets `talk` say something, and waits for the other side to end it. @returns all it said. */
  const ended = (port: number, talk: (socket: Socket) => void) =>
    new Promise<string>((resolve, reject) => {
      let answer = '';
      const socket = connect(port, '127.0.0.1', () => talk(socket));
      socket.setTimeout(20_000, () => socket.destroy(new Error('it was never ended')));
      socket.on('data', (chunk) => {
        answer += chunk;
      });
      socket.on('close', () => resolve(answer)).on('error', reject);
    });
  const LATE = /^HTTP\/1\.1 408 Request Timeout\r\n[\s\S]*"codigo":"solicitud_incompleta"/;

  test.concurrent('that sends its head a byte at a time is ended', async ({ expect, impatient }) => {
    const answer = await ended(impatient, (socket) => {
      socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\nX-A: ');
      const drip = setInterval(() => socket.write('a'), 50);
      socket.on('end', () => clearInterval(drip)).on('close', () => clearInterval(drip));
    });
    expect(answer).toMatch(LATE);
  });

  test.concurrent('whose body never ends is ended, also where bodies are ignored', async ({
    expect,
    impatient,
  }) => {
    const answer = await ended(impatient, (socket) => {
      const head = ['Host: x', 'Content-Encoding: gzip', 'Transfer-Encoding: chunked'];
      socket.write(`POST /ignores-bodies HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`);
      const drip = setInterval(() => socket.write('1\r\na\r\n'), 50);
      socket.on('end', () => clearInterval(drip)).on('close', () => clearInterval(drip));
    });
    expect(answer).toMatch(LATE);
  });

  test.concurrent('does not delay other requests', async ({ expect, impatient }) => {
    const slow = Array.from({ length: 200 }, () =>
      ended(impatient, (socket) => socket.write('GET / HTTP/1.1\r\n')),
    );
    expect((await call(`http://127.0.0.1:${impatient}/health/live`)).status).toBe(200);
    for (const answer of await Promise.all(slow)) expect(answer).toMatch(LATE);
  });
});
