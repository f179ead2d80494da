import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import mongoose from 'mongoose';
import { Pool } from 'undici';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { isTransientError } from '#shared/stores/transient-errors.ts';
import { startMongoProxy } from '#test/fixtures/mongo-proxy.ts';
import { test } from '#test/fixtures/stores.ts';

/** A Redis that answers by a script; `undefined` closes the connection, after what was answered before. */
type Answer = (command: string) => string | undefined;

let answer: Answer;
const server = createServer((socket) => {
  socket.on('error', () => {});
  socket.on('data', (data) => serve(socket, data.toString()));
});
beforeAll(() => new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening)));
afterAll(() => void server.close());

function serve(socket: Socket, text: string): void {
  for (const command of text.split(/^\*\d+\r\n/m).slice(1)) {
    const name = command.split('\r\n')[1]?.toLowerCase();
    const reply = name === 'get' ? answer(command) : '+OK\r\n';
    if (reply === undefined) return void setTimeout(() => socket.destroy(), 5);
    socket.write(reply);
  }
}

/** The errors of three commands that go out in one pipeline. */
async function errorsOf(script: Answer): Promise<unknown[]> {
  answer = script;
  const redis = new Redis({
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    protocol: 2,
    lazyConnect: true,
    enableReadyCheck: false,
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    commandTimeout: 200,
    maxRetriesPerRequest: 1,
  });
  redis.on('error', () => {});
  await redis.connect();
  const results = await Promise.allSettled(['a', 'b', 'c'].map((key) => redis.get(key)));
  redis.disconnect();
  return results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
}

describe('an error of Redis is transient', () => {
  it('when the connection closes in the middle of a pipeline', async () => {
    let answered = 0;
    const errors = await errorsOf(() => (answered++ === 0 ? '$1\r\nx\r\n' : undefined));
    expect(errors).toHaveLength(2);
    expect(errors.map(isTransientError)).toEqual([true, true]);
  });

  it.each([
    ['it is full', "-OOM command not allowed when used memory > 'maxmemory'.\r\n"],
    ['it is a replica', "-READONLY You can't write against a read only replica.\r\n"],
    ['it does not answer in time', ''],
  ])('when %s', async (_, reply) => {
    const errors = await errorsOf(() => reply);
    expect(errors.map(isTransientError)).toEqual([true, true, true]);
  });
});

it('a command that Redis refuses for its own sake is no transient error', async () => {
  const errors = await errorsOf(
    () => '-WRONGTYPE Operation against a key holding the wrong kind of value\r\n',
  );
  expect(errors.map(isTransientError)).toEqual([false, false, false]);
});

describe('an error of a call to another service is transient', () => {
  it.each([['in the middle of its answer', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"origin":']])(
    'when the other side ends %s',
    async (_, beginning) => {
      const other = createServer((socket) => socket.once('data', () => socket.end(beginning)));
      other.listen(0, '127.0.0.1');
      await once(other, 'listening');
      const pool = new Pool(`http://127.0.0.1:${(other.address() as AddressInfo).port}`);
      onTestFinished(async () => {
        await pool.destroy();
        other.close();
      });
      const call = pool.request({ method: 'GET', path: '/' }).then(({ body }) => body.json());
      expect(isTransientError(await call.catch((error: unknown) => error))).toBe(true);
    },
  );

  it.each(['close', 'destroy'] as const)('when this process has closed its connections: %s', async (end) => {
    const pool = new Pool('http://127.0.0.1:1');
    const ended = pool[end]();
    const error = await pool.request({ method: 'GET', path: '/' }).catch((error: unknown) => error);
    await ended;
    expect(isTransientError(error)).toBe(true);
  });
});

test('an error of MongoDB is transient when this process closes its client meanwhile', async ({ stores }) => {
  const asked = Promise.withResolvers<void>();
  const never = new Promise<never>(() => {});
  const proxy = await startMongoProxy(stores.mongoUri, ({ insert }) => {
    if (insert === undefined) return 'done';
    asked.resolve();
    return never;
  });
  onTestFinished(proxy.close);
  const connection = await mongoose.createConnection(proxy.uri, { retryWrites: false }).asPromise();
  const insertion = connection.collection('things').insertMany([{ name: 'one' }]);
  const outcome = insertion.catch((error: unknown) => error);
  await asked.promise;
  await connection.close();
  expect(isTransientError(await outcome)).toBe(true);
  const after = await connection
    .collection('things')
    .findOne()
    .catch((error: unknown) => error);
  expect(isTransientError(after)).toBe(true);
});
