import { pino } from 'pino';
import { describe, expect, onTestFinished } from 'vitest';
import { buildHttpServer } from '#shared/http/build-http-server.ts';
import { test } from '#test/fixtures/services.ts';

/** Starts a server that says whose address it sees. @returns its URL, and what it logs. */
async function serve(trustProxy: string) {
  const lines: { level: number; msg: string; peer?: string }[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const server = await buildHttpServer({ log, trustProxy }, async (server) => {
    server.get('/address', async ({ ip }) => ({ ip }));
  });
  onTestFinished(() => server.close());
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const seen = async (forwarded?: string) => {
    const headers = new Headers(forwarded === undefined ? {} : { 'x-forwarded-for': forwarded });
    return ((await (await fetch(`${url}/address`, { headers })).json()) as { ip: string }).ip;
  };
  return { url, lines, seen };
}

describe('TRUST_PROXY', () => {
  test.for<[string, string, string]>([
    ['', '198.51.100.1', '127.0.0.1'],
    ['1', '198.51.100.1', '198.51.100.1'],
    ['1', '203.0.113.9, 198.51.100.1', '198.51.100.1'], // the first is the client's own invention
    ['2', '198.51.100.1, 10.0.0.5', '198.51.100.1'],
    ['127.0.0.1', '203.0.113.9, 198.51.100.1', '198.51.100.1'],
    ['127.0.0.1,10.0.0.0/8', '198.51.100.1, 10.0.0.5', '198.51.100.1'],
    // Some proxies write ports.
    ['1', '198.51.100.1:50123', '198.51.100.1'],
    ['1', '[2001:db8::1]:443', '2001:db8::1'],
  ])('%j takes %j for %s', async ([setting, forwarded, address]) => {
    const { seen } = await serve(setting);
    expect(await seen(forwarded)).toBe(address);
  });
});

describe('an address that is forwarded and not believed', () => {
  test.for(['', '192.0.2.1'])('is said once, with TRUST_PROXY=%j', async (setting) => {
    const { lines, seen } = await serve(setting);
    await seen();
    expect(lines).toEqual([]);
    for (const _ of [1, 2, 3]) await seen('198.51.100.1');
    expect(lines).toMatchObject([
      {
        level: 40,
        peer: '127.0.0.1',
        msg: 'X-Forwarded-For is ignored: if this peer is a proxy of yours, name it in TRUST_PROXY, or all clients share one limit',
      },
    ]);
  });
});
