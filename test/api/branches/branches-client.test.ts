import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { test as base, describe, expect, vi } from 'vitest';
import { BranchesClient } from '#services/api/branches/branches-client.ts';
import { MAX_RESOLVED, type ResolveRequest } from '#shared/branches/branch.ts';
import { passTime } from '#test/fixtures/pass-time.ts';

/** A branches service that can hang: it takes calls, and answers those for branches once it is resumed. */
class HangingService {
  /** The postal codes of each call that came, in order. */
  readonly calls: string[][] = [];
  /** Of the load in force; and how often it was asked for. */
  version = '1.1';
  versionCalls = 0;
  readonly #held: (() => void)[] = [];
  readonly #server = createServer((request, response) => void this.#take(request, response));
  #hangs = true;
  #isDead = false;
  /** How the codes begin that it does not have. */
  missing = 'none';
  /** Whether it answers that rows are missing. */
  lacksRows = false;
  /** Calls whose connection the client has closed before the answer. */
  cancelled = 0;

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Answers nothing more, and breaks off what it is asked. */
  die(): void {
    this.#isDead = true;
    this.#server.closeAllConnections();
  }

  resume(): void {
    this.#hangs = false;
    for (const answer of this.#held) answer();
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#isDead) return void request.destroy();
    const { version } = this;
    if (request.url === '/internal/version') {
      this.versionCalls++;
      return void response.setHeader('content-type', 'application/json').end(JSON.stringify({ version }));
    }
    if (request.url === '/internal/coverage') {
      return void response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ version, ranges: [] }));
    }
    if (this.lacksRows) return void response.writeHead(503).end();
    const { origins, destinations } = (await json(request)) as ResolveRequest;
    const codes = destinations.map((query) => ('postalCode' in query ? query.postalCode : query.code));
    this.calls.push(codes);
    const answer = () => {
      const branch = (Codigo: string) => (Codigo.startsWith(this.missing) ? null : { Codigo });
      const body = { version: this.version, origins: origins.map(branch), destinations: codes.map(branch) };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    };
    response.on('close', () => {
      if (!response.writableFinished) this.cancelled++;
    });
    if (this.#hangs) this.#held.push(answer);
    else answer();
  }
}

const test = base.extend('start', async ({}, { onCleanup }) => {
  return async (timeoutMs: number) => {
    const service = new HangingService();
    const client = new BranchesClient({ url: await service.listen(), token: 'secret', timeoutMs });
    onCleanup(async () => {
      service.close();
      await client.close();
    });
    /** Asks for one postal code. @returns the code that is answered, or the code or name of the error. */
    const ask = (
      postalCode: string,
      { account = 'demo', gone = new AbortController().signal } = {},
    ): Promise<unknown> =>
      client.destination({ postalCode }, { requestId: 'test', account, signal: gone }).then(
        (found) => found?.branch.Codigo,
        (error: { code?: unknown; name: string }) =>
          typeof error.code === 'string' ? error.code : error.name,
      );
    return { service, client, ask, coverage: () => client.coverage('test') };
  };
});

const codes = (count: number, name: string) => Array.from({ length: count }, (_, index) => `${name}${index}`);

test('while branches hangs, the question after 2 000 is refused', async ({ start }) => {
  const { service, ask } = await start(60_000);
  const waiting = codes(2_000, 'cp').map((code, i) => ask(code, { account: `account ${i % 4}` }));
  expect(await ask('one too many', { account: 'another' })).toBe('unavailable');
  service.resume();
  expect(await Promise.all(waiting)).toEqual(codes(2_000, 'cp'));
});

test('a flood of one account leaves places, and an early turn, to others', async ({ start }) => {
  const { service, ask } = await start(60_000);
  const flood = codes(1_000, 'cp').map((code) => ask(code, { account: 'flood' }));
  const other = ask('other', { account: 'other' });
  expect((await Promise.all(flood.slice(500))).every((answer) => answer === 'unavailable')).toBe(true);
  service.resume();
  expect(await other).toBe('other');
  expect(await Promise.all(flood.slice(0, 500))).toEqual(codes(500, 'cp'));
  // The places are free again, also those of questions that were refused.
  expect(await Promise.all(codes(500, 'again').map((code) => ask(code, { account: 'flood' })))).toEqual(
    codes(500, 'again'),
  );
});

test('an asker that leaves ends a call that nobody else waits for', async ({ start }) => {
  const { service, ask } = await start(60_000);
  const leaving = new AbortController();
  const left = ask('leaving', { gone: leaving.signal });
  await expect.poll(() => service.calls).toEqual([['leaving']]);
  leaving.abort();
  expect(await left).toBe('client-gone');
  await expect.poll(() => service.cancelled).toBe(1);
  service.resume();
  expect(await ask('staying')).toBe('staying');
  expect(service.calls).toEqual([['leaving'], ['staying']]);
});

test('500 branches, and 500 postal codes beside them, are asked for in two calls', async ({ start }) => {
  const { service, client } = await start(60_000);
  service.resume();
  const [named, beside] = [codes(MAX_RESOLVED, 'branch'), codes(MAX_RESOLVED, 'cp')];
  const destinations = [...named.map((code) => ({ code })), ...beside.map((postalCode) => ({ postalCode }))];
  const caller = { requestId: 'test', account: 'demo', signal: new AbortController().signal };
  const answer = await client.resolve({ origin: 'origin', destinations }, caller);
  expect(answer.origin?.Codigo).toBe('origin');
  expect(answer.destinations.map((found) => found?.branch.Codigo)).toEqual([...named, ...beside]);
  expect(service.calls).toEqual([named, beside]);
});

describe('what is known', () => {
  test('is asked for once, as long as the version stands', async ({ start }) => {
    const { service, ask } = await start(10_000);
    service.resume();
    vi.spyOn(performance, 'now').mockReturnValue(performance.now()); // a version stands for 400 ms
    for (let i = 0; i < 3; i++) {
      expect(await ask('cp1')).toBe('cp1');
      expect(await ask('none1')).toBe(undefined);
    }
    expect(service.calls).toEqual([['cp1'], ['none1']]);
    expect(service.versionCalls).toBe(1);
  });

  test('is asked for anew after a load, within half a second', async ({ start }) => {
    const { service, ask } = await start(10_000);
    service.resume();
    await ask('cp1');
    service.version = '2.1';
    await expect
      .poll(async () => [await ask('cp1'), service.calls], { interval: 20 })
      .toEqual(['cp1', [['cp1'], ['cp1']]]);
  });

  test('of a postal code is known of those that share its first three digits', async ({ start }) => {
    const { service, ask } = await start(10_000);
    service.resume();
    for (const code of ['06600', '06699', '06601', '06700']) expect(await ask(code)).toBe(code);
    expect(service.calls.map(([first]) => first)).toEqual(['06600', '06700']);
  });

  test('is asked for no more by requests that have waited for their turn meanwhile', async ({ start }) => {
    const { service, ask } = await start(10_000);
    const postalCodes = Array.from({ length: 100 }, (_, i) => String(6_600 + i).padStart(5, '0'));
    const answers = postalCodes.map((code) => ask(code));
    await expect.poll(() => service.calls).toHaveLength(8);
    service.resume();
    expect(await Promise.all(answers)).toEqual(postalCodes);
    expect(service.calls).toHaveLength(8);
  });

  test('to be missing is asked for anew after ten seconds, since it may have been lost for a while', async ({
    start,
  }) => {
    const { service, ask } = await start(10_000);
    service.resume();
    expect([await ask('none1'), await ask('cp1')]).toEqual([undefined, 'cp1']);
    passTime(9_000);
    expect([await ask('none1'), await ask('cp1')]).toEqual([undefined, 'cp1']);
    expect(service.calls).toEqual([['none1'], ['cp1']]);
    service.missing = 'nothing';
    passTime(1_000);
    expect([await ask('none1'), await ask('cp1')]).toEqual(['none1', 'cp1']);
    expect(service.calls).toEqual([['none1'], ['cp1'], ['none1']]);
  });

  test('to be missing is not said after ten seconds by a service that lacks rows', async ({ start }) => {
    const { service, ask } = await start(10_000);
    service.resume();
    expect(await ask('none1')).toBe(undefined);
    service.lacksRows = true;
    passTime(10_000);
    expect(await ask('none1')).toBe('unavailable');
  });

  test('to be missing, and all coverage, hold for a minute too while the service is away', async ({
    start,
  }) => {
    const { service, ask, coverage } = await start(10_000);
    service.resume();
    const all = await coverage();
    expect(await ask('none1')).toBe(undefined);
    passTime(9_900);
    await ask('cp1'); // confirms the version
    service.die();
    passTime(200);
    expect([await ask('none1'), await coverage()]).toEqual([undefined, all]);
    passTime(57_000);
    expect([await ask('none1'), await coverage()]).toEqual([undefined, all]);
    passTime(3_000);
    expect(await ask('none1')).not.toBe(undefined);
    await expect(coverage()).rejects.toThrow();
  });

  test('holds for a minute while the service is away, and nothing else does', async ({ start }) => {
    const { service, ask } = await start(10_000);
    service.resume();
    await ask('06600');
    service.die();
    passTime(58_000);
    expect(await ask('06600')).toBe('06600');
    expect(await ask('64000')).not.toBe('64000');
    passTime(3_000);
    expect(await ask('06600')).not.toBe('06600');
  });
});
