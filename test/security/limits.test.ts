import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildHttpServer } from '#shared/http/build-http-server.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { Client, call } from '#test/fixtures/client.ts';
import { startApi, startServices } from '#test/fixtures/old-services.ts';

/**
 * How much one address, one connection and one request may take. Limits on a user, and on failed logins, are in
 * `test/api/routes/login-limit.test.ts`.
 */

let system: Awaited<ReturnType<typeof startServices>>;
beforeAll(async () => {
  system = await startServices();
});
afterAll(() => system.close());

/** An API of its own, whose limits nobody else has used up. */
async function withApi(env: Record<string, string>, use: (url: string) => Promise<void>): Promise<void> {
  const REDIS_PREFIX = `{limits-${Math.random().toString(36).slice(2)}}`;
  const { url, server } = await startApi({ ...system.env, REDIS_PREFIX, ...env });
  try {
    await use(url);
  } finally {
    await server.close();
  }
}

const statuses = async (count: number, ask: (index: number) => Promise<{ status: number }>) => {
  const answers: number[] = [];
  for (let index = 0; index < count; index++) answers.push((await ask(index)).status);
  return answers;
};

describe('REQUESTS_PER_MINUTE_PER_ADDRESS', () => {
  it('holds before anything is known of who asks', async () => {
    await withApi({ REQUESTS_PER_MINUTE_PER_ADDRESS: '6' }, async (url) => {
      const asked = [
        () => call(`${url}/api/sucursales`),
        () => new Client(url, 'x.y.z').get('/api/sucursales'),
        () => call(`${url}/api/auth/login`, { method: 'POST' }),
        () => call(`${url}/api/nada`),
        () => call(`${url}/api/sucursales`, { method: 'DELETE' }),
        () => call(`${url}/api/openapi.json`),
      ];
      expect(await statuses(6, (index) => asked[index]?.() ?? Promise.reject())).toEqual([
        401, 401, 400, 404, 405, 200,
      ]);
      for (const ask of asked) {
        const { status, headers, body } = await ask();
        expect([status, body.message]).toEqual([429, 'Demasiadas solicitudes, intente mas tarde']);
        const seconds = Number(headers.get('retry-after'));
        expect(seconds).toBeGreaterThan(0);
        expect(seconds).toBeLessThanOrEqual(60);
      }
      // What watches over us is not counted.
      expect(await statuses(10, () => call(`${url}/health/ready`))).toEqual(Array(10).fill(200));
    });
  });

  it('is not got around by an X-Forwarded-For of one’s own', async () => {
    await withApi({ REQUESTS_PER_MINUTE_PER_ADDRESS: '3' }, async (url) => {
      const ask = (index: number) =>
        call(`${url}/api/sucursales`, { headers: { 'x-forwarded-for': `203.0.113.${index}` } });
      expect(await statuses(5, ask)).toEqual([401, 401, 401, 429, 429]);
    });
  });

  it('is not got around behind a proxy that is trusted either', async () => {
    await withApi({ REQUESTS_PER_MINUTE_PER_ADDRESS: '3', TRUST_PROXY: '127.0.0.1' }, async (url) => {
      // The proxy adds at the end where the request came from; what stands before is the client's own.
      const ask = (index: number, from: string) =>
        call(`${url}/api/sucursales`, { headers: { 'x-forwarded-for': `203.0.113.${index}, ${from}` } });
      expect(await statuses(5, (index) => ask(index, '198.51.100.1'))).toEqual([401, 401, 401, 429, 429]);
      expect((await ask(1, '198.51.100.2')).status).toBe(401);
    });
  });
});

it('failed logins are counted for where they really come from', async () => {
  await withApi({ LOGIN_FAILURES_PER_ADDRESS: '3' }, async (url) => {
    const ask = (index: number) =>
      call(`${url}/api/auth/login`, {
        method: 'POST',
        headers: {
          'x-username': `nadie${index}`,
          'x-password': 'mal',
          'x-forwarded-for': `203.0.113.${index}`,
        },
      });
    expect(await statuses(5, ask)).toEqual([401, 401, 401, 429, 429]);
  });
});

describe('a request', () => {
  let demo: Client;
  beforeAll(async () => {
    demo = await Client.login(system.url);
  });

  it('whose body grows beyond 4 MiB without having said so is refused', async () => {
    const chunk = new Uint8Array(64 * 1024).fill(0x20);
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += chunk.length;
        if (sent > 64 * 1024 * 1024) controller.close();
        else controller.enqueue(chunk);
      },
    });
    const response = await fetch(`${system.url}/api/guias/crear`, {
      method: 'POST',
      headers: { authorization: `Bearer ${demo.token}`, 'content-type': 'application/json' },
      body,
      duplex: 'half',
    } as RequestInit).catch(() => undefined);
    // The connection may be cut before the answer was read: then the client sees that.
    if (response) expect(response.status).toBe(413);
    expect(sent).toBeLessThan(32 * 1024 * 1024);
  });

  it('whose body is compressed is not unpacked', async () => {
    const response = await fetch(`${system.url}/api/guias/crear`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${demo.token}`,
        'content-type': 'application/json',
        'content-encoding': 'gzip',
      },
      body: gzipSync(Buffer.alloc(50 * 1024 * 1024, 0x20)),
    });
    expect(response.status).toBe(400);
  });

  it('with a path of nine kilobytes is refused', async () => {
    const { status, body } = await demo.get(`/api/guias/etiqueta/${'1'.repeat(9_000)}`);
    expect([status, body.message]).toEqual([431, 'Los headers de la solicitud exceden el limite de 8 KiB']);
  });

  it('with hundreds of headers is refused, or answered, and never an error of ours', async () => {
    const headers = Object.fromEntries(Array.from({ length: 700 }, (_, index) => [`a${index}`, 'b']));
    expect((await demo.get('/api/sucursales', headers)).status).toBe(200);
    const more = Object.fromEntries(Array.from({ length: 1_500 }, (_, index) => [`a${index}`, 'b']));
    expect((await demo.get('/api/sucursales', more)).status).toBe(431);
  });
});

describe('a connection that takes its time', () => {
  let server: HttpServer;
  let port: number;
  beforeAll(async () => {
    server = await buildHttpServer({ log: createLogger('test', 'silent') }, async (server) => {
      server.post('/echo', async ({ body }) => body);
    });
    const { requestTimeout, headersTimeout } = server.server;
    expect({ requestTimeout, headersTimeout }).toEqual({ requestTimeout: 30_000, headersTimeout: 10_000 });
    // The same, sooner.
    Object.assign(server.server, {
      requestTimeout: 600,
      headersTimeout: 300,
      connectionsCheckingInterval: 50,
    });
    port = Number(new URL(await server.listen({ port: 0 })).port);
  });
  afterAll(() => server.close());

  /** Connects, lets `talk` say something, and waits for the other side to end it. @returns all it said. */
  const ended = (talk: (socket: Socket) => void) =>
    new Promise<string>((resolve, reject) => {
      let answer = '';
      const socket = connect(port, '127.0.0.1', () => talk(socket));
      socket.setTimeout(20_000, () => socket.destroy(new Error('it was never ended')));
      socket.on('data', (chunk) => {
        answer += chunk;
      });
      socket.on('close', () => resolve(answer)).on('error', reject);
    });
  const LATE =
    /^HTTP\/1\.1 408 Request Timeout\r\n[\s\S]*"message":"La solicitud no llego completa a tiempo"/;

  it('to say anything at all is ended', async () => {
    expect(await ended(() => {})).toMatch(LATE);
  });

  it('over its head is ended, also when it sends a byte now and then', async () => {
    const answer = await ended((socket) => {
      socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\nX-A: ');
      const drip = setInterval(() => socket.write('a'), 50);
      socket.on('end', () => clearInterval(drip)).on('close', () => clearInterval(drip));
    });
    expect(answer).toMatch(LATE);
  });

  it('over its body is ended, also when it sends a byte now and then', async () => {
    const answer = await ended((socket) => {
      socket.write(
        'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n"',
      );
      const drip = setInterval(() => socket.write('a'), 50);
      socket.on('end', () => clearInterval(drip)).on('close', () => clearInterval(drip));
    });
    expect(answer).toMatch(LATE);
  });

  it('keeps nobody else waiting', async () => {
    const slow = Array.from({ length: 200 }, () => ended((socket) => socket.write('GET / HTTP/1.1\r\n')));
    expect((await call(`http://127.0.0.1:${port}/health/live`)).status).toBe(200);
    for (const answer of await Promise.all(slow)) expect(answer).toMatch(LATE);
  });
});
