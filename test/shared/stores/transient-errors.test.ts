import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { explainOutage, isTransientError } from '#shared/stores/transient-errors.ts';

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
    ['it loads', '-LOADING Redis is loading the dataset in memory\r\n'],
    ['it is full', "-OOM command not allowed when used memory > 'maxmemory'.\r\n"],
    ['it is a replica', "-READONLY You can't write against a read only replica.\r\n"],
    ['it lacks its replicas', '-NOREPLICAS Not enough good replicas to write.\r\n'],
    ['a Redis Cluster has no master for the key', '-CLUSTERDOWN Hash slot not served\r\n'],
    ['another node has the key', '-MOVED 3999 127.0.0.1:6381\r\n'],
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

it('a node of a Redis Cluster under a plain address is told as such', () => {
  expect(explainOutage(new Error('MOVED 3999 127.0.0.1:6381'))).toBe(
    'it is a node of a Redis Cluster (MOVED 3999 127.0.0.1:6381): write redis+cluster://',
  );
});
