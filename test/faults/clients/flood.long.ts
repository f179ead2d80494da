import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Part } from '../system/part.ts';
import { test as faultTest } from '../system/system.ts';
import { floodWithoutToken } from './flood-client.ts';
import { underLoad } from './under-load.ts';

/** How much more memory the API may take for a flood, in MiB. */
const MORE_MEMORY = 256;

const test = faultTest
  .override('wanted', { env: { TRUST_PROXY: '127.0.0.1' } })
  .extend('api', { scope: 'file' }, ({ system }) => system.apis[0] as Part)
  .extend('port', { scope: 'file' }, ({ api }) => Number(new URL(api.url).port));

/** Resident memory of a process, in MiB (proc_pid_statm(5)). */
const memoryOf = ({ pid }: Part) => Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) / 256;

/** Floods the API. @returns how much memory that took at most, in MiB, which is bounded. */
async function watchingMemory(
  api: Part,
  flood: () => Promise<void>,
): Promise<{ before: number; most: number }> {
  const before = Math.round(memoryOf(api));
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, Math.round(memoryOf(api)));
  }, 100);
  await flood().finally(() => clearInterval(timer));
  expect(most - before).toBeLessThan(MORE_MEMORY);
  return { before, most };
}

/** Sends the head of a request a byte a second. @returns how often that was refused. */
async function trickle(port: number, until: number): Promise<number> {
  let refused = 0;
  while (performance.now() < until) {
    const socket = connect(port, '127.0.0.1').setEncoding('latin1');
    socket.on('error', () => {});
    socket.on('data', (data: string) => {
      if (data.includes('408 Request Timeout')) refused++;
    });
    const closed = once(socket, 'close');
    const head = 'GET /api/docs HTTP/1.1\r\nHost: api\r\nX-Slow: ';
    for (let sent = 0; !socket.destroyed && performance.now() < until; sent++) {
      socket.write(head[sent] ?? 'x');
      await Promise.race([closed, sleep(1_000)]);
    }
    socket.destroy();
  }
  return refused;
}

test('a thousand connections that send a byte a second are ended, and other clients are served', async ({
  api,
  port,
  system,
}) => {
  await underLoad(system, '1 000 connections, a byte a second, for 40 s', [], async (load) => {
    await load.waitForStatus('label', 200, 1_000); // first takes what it takes for serving alone
    const from = performance.now();
    let refused = 0;
    const memory = await watchingMemory(api, async () => {
      const all = Array.from({ length: 1_000 }, () => trickle(port, from + 40_000));
      for (const count of await Promise.all(all)) refused += count;
    });
    expect(refused).toBeGreaterThan(1_000); // each is ended, and comes again
    return { from, refused, memory };
  });
});

test('ten thousand requests a second without a token are refused, and other clients are served', async ({
  api,
  port,
  system,
}) => {
  await underLoad(system, '10 000 requests a second without a token, for 20 s', [], async () => {
    const from = performance.now();
    let statuses = {};
    const memory = await watchingMemory(api, async () => {
      statuses = await floodWithoutToken({ port, perSecond: 10_000, seconds: 20, connections: 100 });
    });
    expect(Object.keys(statuses)).toEqual(['401']);
    return { from, statuses, memory };
  });
});
