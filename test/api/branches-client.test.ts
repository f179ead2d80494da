import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { test as base, describe, expect } from 'vitest';
import { BranchesClient } from '#services/api/branches-client.ts';
import type { ResolveRequest } from '#shared/contracts/branch.ts';

/** A branches service that can hang: it takes calls and answers them once it is resumed. */
class HangingService {
  /** The postal codes of each call that came, in order. */
  readonly calls: string[][] = [];
  readonly #held: (() => void)[] = [];
  readonly #server = createServer((request, response) => void this.#take(request, response));
  #hangs = true;
  /** Calls whose connection the client has closed before the answer. */
  cancelled = 0;

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
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
    const { origins, destinations } = (await json(request)) as ResolveRequest;
    const codes = destinations.map((query) => ('postalCode' in query ? query.postalCode : query.code));
    this.calls.push(codes);
    const answer = () => {
      const body = { origins: origins.map(branch), destinations: codes.map(branch) };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    };
    response.on('close', () => {
      if (!response.writableFinished) this.cancelled++;
    });
    if (this.#hangs) this.#held.push(answer);
    else answer();
  }
}

const branch = (Codigo: string) => ({ Codigo });

const test = base.extend('start', async ({}, { onCleanup }) => {
  return async (timeoutMs: number) => {
    const service = new HangingService();
    const client = new BranchesClient({ url: await service.listen(), token: 'secret', timeoutMs });
    onCleanup(async () => {
      service.close();
      await client.close();
    });
    /** Asks for one postal code. @returns the code that is answered, or the code or name of the error. */
    const ask = (postalCode: string, gone = new AbortController().signal): Promise<unknown> =>
      client.destination({ postalCode }, { requestId: 'test', gone }).then(
        (found) => found?.Codigo,
        (error: { code?: unknown; name: string }) =>
          typeof error.code === 'string' ? error.code : error.name,
      );
    return { service, ask };
  };
});

const codes = (count: number, name: string) => Array.from({ length: count }, (_, index) => `${name}${index}`);

describe('while the branches service hangs', () => {
  test('what its askers have given up is not sent when it recovers', async ({ start }) => {
    const { service, ask } = await start(1_000);
    const dead = new Set<string>();
    const answers: Promise<unknown>[] = [];
    const asked = codes(1_200, 'cp');
    for (const [index, code] of asked.entries()) {
      const answer = ask(code).then((found) => {
        if (found !== code) dead.add(code);
      });
      answers.push(answer);
      if (index % 20 === 19) await sleep(50); // 400 a second
    }
    expect(dead.size).toBeGreaterThan(500);
    expect(service.calls.length).toBeLessThan(60);

    const before = service.calls.length;
    const givenUp = new Set(dead);
    service.resume();
    expect(await ask('fresh')).toBe('fresh');
    await Promise.all(answers);
    const sent = service.calls.slice(before);
    expect(sent.filter((call) => call.every((code) => givenUp.has(code)))).toEqual([]);
    // The last one asked is answered in the calls of those that still waited.
    expect(sent.length).toBeLessThan(60);
  });

  test('more than 2 000 waiting questions are refused at once', async ({ start }) => {
    const { service, ask } = await start(60_000);
    const waiting = codes(2_000, 'cp').map((code) => ask(code));
    expect(await ask('one too many')).toBe('unavailable');
    service.resume();
    expect(await Promise.all(waiting)).toEqual(codes(2_000, 'cp'));
  });
});

describe('an asker that leaves', () => {
  test('ends a call that nobody else waits for, and its question is not sent again', async ({ start }) => {
    const { service, ask } = await start(60_000);
    const leaving = new AbortController();
    const left = ask('leaving', leaving.signal);
    await expect.poll(() => service.calls).toEqual([['leaving']]);
    leaving.abort();
    expect(await left).toBe('client-gone');
    await expect.poll(() => service.cancelled).toBe(1);
    service.resume();
    expect(await ask('staying')).toBe('staying');
    expect(service.calls).toEqual([['leaving'], ['staying']]);
  });

  test('takes nothing from those that share its call', async ({ start }) => {
    const { service, ask } = await start(60_000);
    const leaving = new AbortController();
    const left = ask('leaving', leaving.signal);
    const stayed = ask('staying');
    await expect.poll(() => service.calls).toEqual([['leaving', 'staying']]);
    leaving.abort();
    expect(await left).toBe('client-gone');
    service.resume();
    expect(await stayed).toBe('staying');
    expect(service.cancelled).toBe(0);
  });

  test('while its question waits for a call, is not asked for', async ({ start }) => {
    const { service, ask } = await start(60_000);
    const underWay = codes(8 * 25, 'cp').map((code) => ask(code));
    await expect.poll(() => service.calls).toHaveLength(8);
    const leaving = new AbortController();
    const left = ask('leaving', leaving.signal);
    leaving.abort();
    expect(await left).toBe('client-gone');
    service.resume();
    await Promise.all(underWay);
    expect(await ask('staying')).toBe('staying');
    expect(service.calls.flat()).not.toContain('leaving');
  });
});
