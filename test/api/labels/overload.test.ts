import { type AddressInfo, connect } from 'node:net';
import { Queue } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listen } from '#services/api/listen.ts';
import { LABEL_QUEUE } from '#shared/contracts/label-job.ts';
import { buildHttpServer } from '#shared/http/build-http-server.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { minimalGuide } from '#test/fixtures/client.ts';
import { printingTest as services } from '#test/fixtures/services.ts';
import { scrape } from '#test/fixtures/telemetry/metrics.ts';

const test = services.override('settings', { LABEL_TIMEOUT_MS: '5000' });

/** More labels at a time than can be printed within the deadline: some are refused, and the others are served. */

describe('three hundred labels at once, of which few can be printed in time', () => {
  test('are served, or refused with 503 and Retry-After and served on the next request', async ({
    api,
    demo,
    stores,
  }) => {
    const queue = new Queue(LABEL_QUEUE, { connection: stores.redis, prefix: stores.prefix });
    const label = (number: string) => demo.pdf(`/api/guias/etiqueta/${number}`);
    const guides = await demo.created(...Array.from({ length: 301 }, () => minimalGuide()));
    const [first, ...numbers] = guides.map(({ SEND_GUIA }) => SEND_GUIA);
    // One in two seconds, as far as is known: a hundred more would take longer than the deadline.
    expect((await label(first as string)).status).toBe(200);
    await queue.pause();
    const allRefused = Promise.withResolvers<void>();
    let refusals = 0;
    const asked = numbers.map(async (number) => {
      const answer = await label(number);
      if (answer.status === 503 && ++refusals === 200) allRefused.resolve();
      return { number, ...answer };
    });
    // At once: nobody has a label yet.
    await allRefused.promise;
    await queue.resume();
    const answers = await Promise.all(asked);
    const refused = answers.filter(({ status }) => status === 503);
    expect(refused).toHaveLength(200);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(100);
    for (const { headers, bytes } of refused) {
      expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect(JSON.parse(bytes.toString()).message).toBe('Servicio no disponible, intente de nuevo');
    }
    expect((await scrape(api.url)).get('label_failures_total{reason="overloaded"}')).toBe(refused.length);
    for (const { number } of refused.slice(0, 5)) expect((await label(number)).status).toBe(200);
    await queue.close();
  });
});

function portOf(server: HttpServer): number {
  return (server.server.address() as AddressInfo).port;
}

describe('the port of the api', () => {
  const build = () => buildHttpServer({ log: createLogger('api', 'silent') }, async () => {});
  let server: HttpServer;
  beforeAll(async () => {
    server = await build();
    await listen(server, { host: '127.0.0.1', port: 0 });
  });
  afterAll(() => server.close());
  const port = () => portOf(server);

  it.runIf(process.platform === 'linux')('takes many connections in a turn of the event loop', async () => {
    let taken = 0;
    server.server.on('connection', () => taken++);
    const clients = Array.from({ length: 200 }, () => connect(port(), '127.0.0.1'));
    // The kernel has made all connections before the next turn begins.
    const end = performance.now() + 100;
    while (performance.now() < end);
    let turns = 0;
    for (; taken < clients.length; turns++) await new Promise(setImmediate);
    for (const client of clients) client.destroy();
    expect(turns).toBeLessThan(clients.length / 4);
  });

  test('is refused to another process with EADDRINUSE', async () => {
    const another = await build();
    await expect(listen(another, { host: '127.0.0.1', port: port() })).rejects.toThrow('EADDRINUSE');
    await another.close();
  });

  test('is free again when the service is closed', async () => {
    const short = await build();
    await listen(short, { host: '127.0.0.1', port: 0 });
    const port = portOf(short);
    expect((await fetch(`http://127.0.0.1:${port}/health/live`)).status).toBe(200);
    await short.close();
    const refused = await new Promise((settled) => {
      const client = connect(port, '127.0.0.1');
      client.on('error', ({ message }) => settled(message)).on('connect', () => settled('connected'));
    });
    expect(refused).toContain('ECONNREFUSED');
  });
});
