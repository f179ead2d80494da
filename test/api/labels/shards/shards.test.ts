import { execFileSync } from 'node:child_process';
import { describe, expect } from 'vitest';
import { shardOf } from '#shared/contracts/label-shards.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { type ShardServer, test as shardsTest } from '#test/fixtures/labels/shards.ts';
import { scrape } from '#test/fixtures/telemetry/metrics.ts';

/** Four Redis, each with a label worker, and two api processes. */
const test = shardsTest
  .extend('workers', { scope: 'file' }, async ({ shardEnv, startLabelWorker }) => {
    const start = (shard: number) =>
      startLabelWorker({ ...shardEnv, SHARD: `${shard}`, PRINT_CONCURRENCY: '1' });
    return Promise.all([0, 1, 2, 3].map(start));
  })
  .extend('apis', { scope: 'file' }, async ({ workers, shardEnv, startApi }) => {
    expect(workers).toHaveLength(4);
    const apis = await Promise.all([startApi(shardEnv), startApi(shardEnv)]);
    return apis.map(({ url }) => url);
  })
  .extend('clients', { scope: 'file' }, ({ apis }) => Promise.all(apis.map((url) => Client.login(url))));

async function newNumbers(client: Client | undefined, count: number): Promise<string[]> {
  const guides = await client?.created(...Array.from({ length: count }, () => minimalGuide()));
  return (guides ?? []).map(({ SEND_GUIA }) => SEND_GUIA);
}

const letter = (number: string) => `/api/guias/etiqueta/${number}`;

/** Returns the keys of the finished labels of each shard. */
const labelsOf = (shards: readonly ShardServer[]) =>
  Promise.all(shards.map(({ redis }) => redis.keys('{*}:label:*')));

describe('labels over four shards', () => {
  test('are printed by the workers of their shard, whose Redis alone has them', async ({
    clients,
    shards,
    workers,
  }) => {
    const [client] = clients;
    const numbers = await newNumbers(client, 40);
    const answers = await Promise.all(numbers.map((number) => client?.pdf(letter(number))));
    expect(answers.map((answer) => answer?.status)).toEqual(numbers.map(() => 200));
    const etags = answers.map((answer) => answer?.headers.get('etag')?.slice(1, -1) ?? '');
    const keys = await labelsOf(shards);
    const found = etags.map((etag) =>
      keys.flatMap((own, i) => (own.some((key) => key.endsWith(etag)) ? i : [])),
    );
    expect(found).toEqual(numbers.map((number) => [shardOf(number, 4)]));
    const printed = await Promise.all(
      workers.map(async ({ url }) => (await scrape(url)).get('labels_printed_total')),
    );
    expect(printed).toEqual(keys.map((own) => own.length));
    expect(Math.min(...printed.map(Number))).toBeGreaterThan(0);
  });

  test('are printed once, whoever asks, and then come from the cache', async ({ clients, apis, shards }) => {
    const [number = ''] = await newNumbers(clients[0], 1);
    const shard = shards[shardOf(number, 4)]?.redis;
    const jobs = async () => (await shard?.keys('{*}:labels:*-*.*'))?.length ?? 0;
    const before = await jobs();
    const at = await Promise.all([...clients, ...clients].map((client) => client.pdf(letter(number))));
    const again = await clients[1]?.pdf(letter(number));
    expect(await jobs()).toBe(before + 1);
    expect([...at, again].map((answer) => answer?.bytes.equals(at[0]?.bytes ?? Buffer.alloc(0)))).toEqual(
      Array.from({ length: 5 }, () => true),
    );
    const cached = await Promise.all(
      apis.map(async (url) =>
        (await scrape(url)).get('label_request_duration_seconds_count{source="cache"}'),
      ),
    );
    expect(cached.map(Number).reduce((sum, count) => sum + count)).toBeGreaterThan(0);
  });

  test('come as one file in the order of the request', async ({ clients: [client] }) => {
    const numbers = await newNumbers(client, 9);
    const file = await client?.labelFile(numbers);
    const text = execFileSync('pdftotext', ['-raw', '-', '-'], { input: file?.bytes, encoding: 'utf8' });
    expect([...new Set(text.match(/\b\d{12}\b/g))]).toEqual(numbers);
  });

  test('are told to the process that waits for them, and to no other', async ({ clients, shards }) => {
    const answers = () =>
      Promise.all(shards.map(({ redis }) => redis.keys('{*}:label-answers:*'))).then((keys) =>
        Promise.all(
          keys.flatMap((own, i) =>
            own.map(async (key) => {
              const entries = (await shards[i]?.redis.xrange(key, '-', '+')) ?? [];
              return [key.split(':').at(-1) ?? '', entries.map(([, [, job = '']]) => job)] as const;
            }),
          ),
        ),
      );
    const numbers = await newNumbers(clients[0], 12);
    const etags = async (client: Client | undefined, own: string[]) =>
      Promise.all(
        own.map(async (number) => (await client?.pdf(letter(number)))?.headers.get('etag')?.slice(1, -1)),
      );
    const mine = await etags(clients[0], numbers.slice(0, 6));
    const others = await etags(clients[1], numbers.slice(6));
    const streams = await answers();
    const toldTo = (etag = '') =>
      streams.filter(([, jobs]) => jobs.some((job) => job.startsWith(etag))).map(([process]) => process);
    const [first, second] = [mine, others].map((own) => [...new Set(own.flatMap(toldTo))]);
    expect([first, second]).toEqual([[expect.any(String)], [expect.any(String)]]);
    expect(first).not.toEqual(second);
    expect(mine.flatMap(toldTo)).toHaveLength(6);
  });
});

describe('a shard that is away', () => {
  test('costs its labels alone, and serves them again without a restart', async ({
    clients,
    apis,
    shards,
  }) => {
    const [client] = clients;
    const [api = ''] = apis;
    const numbers = await newNumbers(client, 24);
    const lost = numbers.filter((number) => shardOf(number, 4) === 2);
    await shards[2]?.kill();
    const status = async (number: string) => {
      const { status, body, headers } = (await client?.get(letter(number))) ?? {};
      return [status, body?.codigo, headers?.get('retry-after')];
    };
    const answers = await Promise.all(numbers.map(status));
    expect(answers).toEqual(
      numbers.map((number) =>
        lost.includes(number) ? [503, 'servicio_no_disponible', expect.any(String)] : [200, undefined, null],
      ),
    );
    expect(await newNumbers(client, 1)).toHaveLength(1);
    expect((await Client.login(api)).token).toBeTruthy();
    expect((await fetch(`${api}/health/ready`)).status).toBe(200);
    const series = await scrape(api);
    const up = [1, 2, 3].map((shard) => series.get(`dependency_up{dependency="redis-shard-${shard}"}`));
    expect(up).toEqual([1, 0, 1]);
    expect([0, 1, 2, 3].map((shard) => series.get(`label_queue_workers{shard="${shard}"}`))).toEqual([
      1,
      1,
      undefined,
      1,
    ]);
    await shards[2]?.revive();
    await expect
      .poll(async () => (await Promise.all(lost.map(status))).map(([code]) => code), { timeout: 15_000 })
      .toEqual(lost.map(() => 200));
  });

  test('does not keep a new process from serving the others, and is served when it comes', async ({
    startApi,
    shardEnv,
    shards,
  }) => {
    await shards[1]?.kill();
    const { url } = await startApi(shardEnv);
    const client = await Client.login(url);
    const numbers = await newNumbers(client, 16);
    const statuses = () =>
      Promise.all(numbers.map(async (number) => (await client.get(letter(number))).status));
    expect(await statuses()).toEqual(numbers.map((number) => (shardOf(number, 4) === 1 ? 503 : 200)));
    await shards[1]?.revive();
    await expect.poll(statuses, { timeout: 15_000 }).toEqual(numbers.map(() => 200));
  });
});

test('a worker without its shard does not start, and says why', async ({ startLabelWorker, shardEnv }) => {
  await expect(startLabelWorker({ ...shardEnv, SHARD: '4' })).rejects.toThrow(
    'SHARD is 4, but REDIS_URLS has 4, counted from 0.',
  );
});

test('a fifth shard takes a fifth of the guides, and moves no other', () => {
  const numbers = Array.from({ length: 5_000 }, (_, i) => `${390_000_000_000 + 7_919 * i}`);
  const moved = numbers.filter((number) => shardOf(number, 5) !== shardOf(number, 4));
  expect(moved.every((number) => shardOf(number, 5) === 4)).toBe(true);
  const shares = [0, 1, 2, 3, 4].map(
    (shard) => numbers.filter((number) => shardOf(number, 5) === shard).length / numbers.length,
  );
  for (const share of [...shares, moved.length / numbers.length]) expect(share).toBeCloseTo(0.2, 1);
  expect(numbers.every((number) => shardOf(number, 1) === 0)).toBe(true);
});
