import { describe, expect, onTestFinished, vi } from 'vitest';
import { Admission } from '#services/api/labels/admission.ts';
import { placeInLine } from '#services/api/labels/print-line.ts';
import { labels } from '#services/api/labels/room.ts';
import { FRESH_MS } from '#shared/printing/label-job.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { ask as askFor, test } from '#test/fixtures/labels/awaited-labels.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
import { scrape } from '#test/fixtures/telemetry/metrics.ts';

/** What an account may have in flight, and when a label is refused at once. Nothing prints here. */

/** Asks for a small label of so many packages of a guide, a new one by default, until `leave`. */
async function ask(client: Client, packages: number, number?: string) {
  const guide = number ?? (await client.created(minimalGuide()))[0]?.SEND_GUIA ?? '';
  return { guide, ...askFor(client, guide, packages) };
}

test('too many pages of an account in flight are refused', async ({ api, demo, awaited }) => {
  const large = await ask(demo, 99);
  await expect.poll(awaited).toBe(1);
  const colleague = await Client.login(api.url, 'demo2');
  const { status, headers, body } = await colleague.get(
    `/api/guias/etiqueta-pequena/${large.guide}?paquetes=2`,
  );
  expect(status).toBe(429);
  expect(headers.get('retry-after')).toBe('1');
  expect(headers.get('ratelimit-policy')).toContain('"etiquetas";q=100');
  expect(headers.get('ratelimit')).toContain('"etiquetas";r=1');
  expect(body).toMatchObject({
    codigo: 'cuota_excedida',
    message: 'Demasiadas etiquetas a la vez, intente mas tarde',
  });
  expect((await scrape(api.url)).get('quota_refusals_total{limit="pages"}')).toBe(1);

  const other = await ask(await Client.login(api.url, 'otro'), 99);
  await expect.poll(awaited).toBe(2);
  other.leave();
  large.leave();
  await expect.poll(awaited).toBe(0);
  await expect.poll(() => api.contextOf(labels).labels.pagesInFlight('demo')).toBe(0); // a second later
  const again = await ask(colleague, 99);
  await expect.poll(awaited).toBe(1);
  again.leave();
  await expect.poll(awaited).toBe(0);
});

test('a label is refused to who has too many, and to no other', async ({ api, demo, awaited, queue }) => {
  await queue.obliterate({ force: true });
  const operator = await Client.login(api.url, 'operaciones'); // sees the guides of all accounts
  const [shared, own] = await demo.created(minimalGuide(), minimalGuide());
  const full = await ask(operator, 99, own?.SEND_GUIA);
  await expect.poll(() => queue.count()).toBe(1);
  const path = `/api/guias/etiqueta-pequena/${shared?.SEND_GUIA}?paquetes=2`;
  expect((await operator.get(path)).status).toBe(429);
  const mine = await ask(demo, 2, shared?.SEND_GUIA);
  await expect.poll(() => queue.count()).toBe(2);
  expect((await operator.get(path)).status).toBe(429); // joins nobody's wait
  expect([await awaited(), await queue.count()]).toEqual([2, 2]);
  for (const { leave } of [full, mine]) leave();
  await expect.poll(awaited).toBe(0);
});

test('a label is waited for until the last of those who share it has left', async ({ demo, awaited }) => {
  const first = await ask(demo, 5);
  const second = await ask(demo, 5, first.guide);
  await expect.poll(awaited).toBe(1);
  first.leave();
  await demo.created(minimalGuide()); // the api has heard of it by then
  expect(await awaited()).toBe(1);
  second.leave();
  await expect.poll(awaited).toBe(0);
});

test('a label of more pages than an account may have goes alone', async ({ awaited, startApi }) => {
  const api = await startApi({ LABEL_PAGES_PER_ACCOUNT: '10' });
  const label = await ask(await Client.login(api.url), 99);
  await expect.poll(awaited).toBe(1);
  label.leave();
  await expect.poll(awaited).toBe(0);
});

test("an account's first labels go before another's further", async ({ api, demo, awaited, queue }) => {
  await queue.obliterate({ force: true });
  const greedy = await ask(demo, 98);
  await expect.poll(awaited).toBe(1);
  const further = await ask(demo, 1);
  await expect.poll(awaited).toBe(2);
  const modest = await ask(await Client.login(api.url, 'otro'), 2);
  await expect.poll(awaited).toBe(3);
  await expect.poll(() => queue.getPrioritizedCount()).toBe(3);
  const jobs = await queue.getJobs(['prioritized'], 0, -1, true);
  expect(jobs.map(({ data }) => data.label.packages)).toEqual([98, 2, 1]);
  for (const label of [greedy, further, modest]) label.leave();
  await expect.poll(awaited).toBe(0);
});

test.for([['ahead', 'behind']] as const)(
  'a label asked for by an api whose clock is two minutes %s goes before one asked for later by one that is %s',
  async ([first, second], { demo, awaited, queue }) => {
    await queue.obliterate({ force: true });
    const now = Date.now.bind(Date);
    const asked: { guide: string; leave: () => void }[] = [];
    for (const clock of [first, second]) {
      const clocks = vi
        .spyOn(Date, 'now')
        .mockImplementation(() => now() + (clock === 'ahead' ? 120_000 : -120_000));
      onTestFinished(() => clocks.mockRestore());
      asked.push(await ask(demo, 2));
      await expect.poll(awaited).toBe(asked.length);
      await expect.poll(() => queue.getPrioritizedCount()).toBe(asked.length);
      clocks.mockRestore();
    }
    const jobs = await queue.getJobs(['prioritized'], 0, -1, true);
    expect(jobs.map(({ data }) => data.label.number)).toEqual(asked.map(({ guide }) => guide));
    for (const { timestamp } of jobs) expect(Math.abs(timestamp - now())).toBeLessThan(60_000);
    for (const { leave } of asked) leave();
    await expect.poll(awaited).toBe(0);
  },
);

test('a label that was given up and is asked for again counts once, until it is left', async ({
  api,
  demo,
  awaited,
}) => {
  const first = await ask(demo, 60);
  await expect.poll(awaited).toBe(1);
  first.leave();
  await expect.poll(awaited).toBe(0);
  const again = await ask(demo, 60, first.guide);
  await expect.poll(awaited).toBe(1);
  passTime(FRESH_MS); // for which the pages of a label that was given up are counted
  const other = await ask(demo, 40);
  await expect.poll(awaited).toBe(2);
  expect(api.contextOf(labels).labels.pagesInFlight('demo')).toBe(100);
  for (const { leave } of [again, other]) leave();
  await expect.poll(awaited).toBe(0);
});

test('printers that finish nothing for eight seconds are given no label of any account, until those who wait leave', async ({
  api,
  demo,
  awaited,
}) => {
  const other = await Client.login(api.url, 'otro');
  const [theirs] = await other.created(minimalGuide());
  const waiting = [await ask(demo, 1), await ask(demo, 1)];
  await expect.poll(awaited).toBe(2);
  passTime(4_000); // as while a dead worker is noticed
  waiting.push(await ask(other, 1));
  await expect.poll(awaited).toBe(3);
  passTime(4_000);
  const path = `/api/guias/etiqueta-pequena/${theirs?.SEND_GUIA}`;
  const { status, headers, body } = await other.get(path);
  expect([status, body.codigo, headers.get('retry-after')]).toEqual([503, 'saturado', '5']);
  for (const { leave } of waiting) leave();
  await expect.poll(awaited).toBe(0);
  const later = await ask(other, 1, theirs?.SEND_GUIA);
  await expect.poll(awaited).toBe(1);
  later.leave();
  await expect.poll(awaited).toBe(0);
});

test('a label that hangs alone is no fault of the printers: a burst beside it waits whole', async ({
  api,
  demo,
  awaited,
}) => {
  const hanging = await ask(demo, 1);
  await expect.poll(awaited).toBe(1);
  passTime(9_000);
  const other = await Client.login(api.url, 'otro');
  const guides = await other.created(...Array.from({ length: 60 }, () => minimalGuide()));
  const burst = guides.map(({ SEND_GUIA }) => askFor(other, SEND_GUIA, 1));
  await expect.poll(awaited).toBe(61);
  for (const { leave } of [hanging, ...burst]) leave();
  await expect.poll(awaited).toBe(0);
});

describe('a process', () => {
  const refusal = (seconds: number) => expect.objectContaining({ code: 'overloaded', params: { seconds } });
  const label = (account: string, key: string) => ({ account, key, pages: 1, maxPages: 300 });

  test('refuses a label whose turn is more than six seconds away, and no account that asks for less', () => {
    let ms = 0;
    const admission = new Admission(() => ms);
    const [first, second] = ['a', 'b', 'c', 'd'].map((key) => admission.admit(label('one', key)));
    for (const [at, leave] of [
      [1_000, first],
      [3_000, second],
    ] as const) {
      ms = at;
      admission.finished(1);
      leave?.();
    }
    // Two labels wait, and one is printed in two seconds. A request whose guide is being read waits as well.
    for (const asked of [3, 4]) expect(admission.reserve('one'), `the label ${asked}`).toBeDefined();
    expect(() => admission.reserve('one')).toThrow(refusal(2));
    admission.reserve('two').end();
    admission.admit(label('two', 'e'));
  });

  test('counts the pace since labels wait: what is finished at once after a pause lets no more in', () => {
    let ms = 0;
    const admission = new Admission(() => ms);
    const waits = Array.from({ length: 36 }, (_, i) => admission.admit(label('one', `${i}`)));
    for (const at of [500, 1_000, 1_500, 2_000, 2_500, 3_000, 3_500, 4_000, 4_500, 5_000, 7_000, 7_100]) {
      ms = at;
      admission.finished(1);
      waits.shift()?.();
    }
    ms = 7_200;
    expect(() => admission.reserve('one')).toThrow(refusal(5));
  });

  test('has five thousand labels and requests at a time', () => {
    const admission = new Admission(() => 0);
    const [first] = Array.from({ length: 5_000 }, (_, i) => admission.reserve(`account-${i % 50}`));
    expect(() => admission.reserve('another')).toThrow(refusal(5));
    first?.end();
    first?.end();
    admission.admit(label('another', 'a'));
    expect(() => admission.admit(label('another', 'b'))).toThrow(refusal(5));
  });
});

describe('the place in the line', () => {
  const noon = Date.UTC(2026, 10, 23, 18);

  test('is one that BullMQ takes, at every moment of a day', () => {
    for (let minute = 0; minute < 24 * 60; minute++) {
      const place = placeInLine(300, true, noon + 60_000 * minute);
      expect(place).toBeGreaterThanOrEqual(1);
      expect(place).toBeLessThan(2 ** 21);
    }
  });
});
