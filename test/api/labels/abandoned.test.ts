import { expect, onTestFinished, vi } from 'vitest';
import { FRESH_MS } from '#shared/printing/label-job.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { ask, test } from '#test/fixtures/labels/awaited-labels.ts';
import { scrape } from '#test/fixtures/telemetry/metrics.ts';

test('an account that hangs up again and again delays no other', async ({ api, demo, awaited, queue }) => {
  await queue.obliterate({ force: true });
  const guides = await demo.created(...Array.from({ length: 200 }, () => minimalGuide()));
  const refusals = async () => (await scrape(api.url)).get('quota_refusals_total{limit="pages"}') ?? 0;
  const before = await refusals();
  const frozen = performance.now();
  const clock = vi.spyOn(performance, 'now').mockReturnValue(frozen);
  onTestFinished(() => clock.mockRestore());
  for (let round = 0; round < 4; round++) {
    const first = 100 * (round % 2); // with one package, then with two: each is another label
    const asked = guides
      .slice(first, first + 100)
      .map(({ SEND_GUIA }) => ask(demo, SEND_GUIA, round < 2 ? 1 : 2));
    if (round === 0) await expect.poll(() => queue.count()).toBe(100);
    else await expect.poll(refusals).toBe(before + 100 * round);
    for (const { leave } of asked) leave();
    await expect.poll(awaited).toBe(0);
  }
  expect(await queue.count()).toBe(100);
  const client = await Client.login(api.url, 'otro');
  const [theirs] = await client.created(minimalGuide());
  const other = ask(client, theirs?.SEND_GUIA ?? '', 2);
  await expect.poll(awaited).toBe(1);
  await expect.poll(() => queue.count()).toBe(101);
  other.leave();
  await expect.poll(awaited).toBe(0);
  clock.mockReturnValue(frozen + FRESH_MS);
  const own = ask(demo, guides[0]?.SEND_GUIA ?? '', 99); // a second later the pages are the account's again
  await expect.poll(awaited).toBe(1);
  own.leave();
  await expect.poll(awaited).toBe(0);
});

test('a client that leaves is 499, and no failure of ours', async ({ demo, awaited, startApi }) => {
  const own = await startApi();
  const [guide] = await demo.created(minimalGuide());
  const label = ask(new Client(own.url, demo.token), guide?.SEND_GUIA ?? '', 1);
  await expect.poll(awaited).toBe(1);
  label.leave();
  const left =
    'http_request_duration_seconds_count{method="GET",route="/api/guias/etiqueta-pequena/:guia",status="499"}';
  await expect.poll(async () => (await scrape(own.url)).get(left)).toBe(1);
  const failures = [...(await scrape(own.url))].filter(([name]) => name.startsWith('label_failures_total'));
  expect(failures.filter(([, count]) => count > 0)).toEqual([]);
});

test('a label whose job was lost in a failover of Redis is queued again', async ({
  demo,
  awaited,
  queue,
  stores,
}) => {
  const [guide] = await demo.created(minimalGuide());
  const label = ask(demo, guide?.SEND_GUIA ?? '', 1);
  await expect.poll(awaited).toBe(1);
  await expect.poll(() => queue.count()).toBeGreaterThan(0);
  await queue.obliterate({ force: true });
  // The connections to the queue alone end, as those to a former primary do.
  const { username } = new URL(stores.redisUrls.api);
  await stores.redis.client('KILL', 'USER', username);
  await expect.poll(() => queue.count()).toBe(1);
  label.leave();
});
