import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, vi } from 'vitest';
import { createIndexes } from '#shared/stores/collection.ts';
import { DatabaseClock } from '#shared/stores/database-clock.ts';
import { type Append, EventLog, feedEvent } from '#shared/tracking/event-log.ts';
import { EVENTS, type LogEntry, PERSONAL_FIELDS } from '#shared/tracking/event-model.ts';
import { test as storesTest } from '#test/fixtures/stores.ts';
import { entry, statesIn } from './event-writer.ts';

const GUIDE = '390458235877';
const never = new AbortController().signal;
const newAppend = (): Append => ({ id: randomUUID(), open: [] });

const test = storesTest
  .extend('log', { scope: 'file' }, async ({ stores }) => {
    await createIndexes(stores.mongo, EVENTS);
    return new EventLog(stores.mongo);
  })
  .extend('entries', { scope: 'file' }, ({ stores }) => stores.mongo.collection<LogEntry>('events'))
  /** An account of the test's own. Accounts of which one's name begins with the other's are different ones. */
  .extend('account', async () => `cuenta:${randomUUID()}`)
  /** Appends events, as a process does that nobody overtakes. */
  .extend('append', ({ log, account }) => async (...ids: string[]) => {
    const append = newAppend();
    const decide = async () => ({ entries: ids.map((id, i) => entry(GUIDE, id, i + 1)), result: undefined });
    await log.append(account, append, decide, never);
    return append;
  })
  /** Stops the database's clock: an entry is young for five seconds, and a test may take longer. */
  .extend('stopClock', { scope: 'file' }, ({ log }) => async () => {
    const now = await log.now();
    vi.spyOn(DatabaseClock.prototype, 'now').mockResolvedValue(now);
  })
  /** Moves what is registered back in time. */
  .extend('age', { scope: 'file' }, ({ entries, log }) => async (ids: string[], ms: number) => {
    const registered = new Date((await log.now()).getTime() - ms);
    await entries.updateMany({ 'told.Id': { $in: ids } }, { $set: { registered } });
  });

test('an entry for customers has no field that may name a person', () => {
  const personal = Object.fromEntries(PERSONAL_FIELDS.map((field) => [field, 'Luis Pérez']));
  const stored = entry(GUIDE, 'E-1', 1);
  const shown = feedEvent({
    ...stored,
    told: { ...stored.told, ...personal },
    registered: new Date(),
  } as LogEntry);
  expect(shown).toMatchObject({ Id: 'E-1', SEND_GUIA: GUIDE });
  expect(JSON.stringify(shown)).not.toContain('Luis');
});

const idsOf = (page: readonly LogEntry[]) => page.map(({ told }) => told.Id);

describe('the feed of an account', () => {
  test('shows entries in order, once their appends and all before them are done', async ({
    account,
    append,
    log,
    stopClock,
  }) => {
    await stopClock();
    const shown = async (after: number, limit = 10) => {
      const { entries, next, hasPending } = await log.page(account, after, limit);
      return [idsOf(entries), next, hasPending];
    };
    const [a, b, c, d] = Array.from({ length: 4 }, () => randomUUID()) as [string, string, string, string];
    const first = await append(a, b);
    const second = await append(c);
    await append(d);
    expect(await shown(0)).toEqual([[], 0, true]);
    expect(await shown(1)).toEqual([[], 1, true]); // within the first append
    await log.done(second);
    expect(await shown(0)).toEqual([[], 0, true]);
    expect(await shown(2)).toEqual([[c], 3, true]);
    await log.done(first);
    expect(await shown(0)).toEqual([[a, b, c], 3, true]);
    expect(await shown(1, 1)).toEqual([[b], 2, false]);
    expect(await shown(3)).toEqual([[], 3, true]);
  });

  test('shows an entry whose append is open from the age of five seconds', async ({
    account,
    age,
    append,
    log,
    stopClock,
  }) => {
    await stopClock();
    const [a, b, c] = Array.from({ length: 3 }, () => randomUUID()) as [string, string, string];
    await append(a, b);
    await append(c);
    await age([a, b, c], 4_999);
    expect(await log.page(account, 0, 10)).toEqual({ entries: [], next: 0, hasPending: true });
    await age([a, b], 5_000);
    const page = await log.page(account, 0, 10);
    expect([idsOf(page.entries), page.next, page.hasPending]).toEqual([[a, b], 2, true]);
    await age([c], 6_000);
    expect(idsOf((await log.page(account, page.next, 10)).entries)).toEqual([c]);
  });

  test.for([-120, 120])(
    'shows and hides the same, whether a process whose clock is %i s off writes or reads',
    async (offS, { account, age, append, log, onTestFinished }) => {
      const [old, young] = [randomUUID(), randomUUID()];
      await append(old);
      await age([old], 120_000);
      onTestFinished(() => void vi.useRealTimers());
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1_000 * offS });
      await append(young);
      const readBySame = await log.page(account, 0, 10);
      vi.useRealTimers();
      const readByOther = await log.page(account, 0, 10);
      for (const { entries, hasPending } of [readBySame, readByOther]) {
        expect([idsOf(entries), hasPending]).toEqual([[old], true]);
      }
    },
  );

  test('is not held up by an entry of a clock that was a minute ahead', async ({
    account,
    age,
    append,
    log,
  }) => {
    const [ahead, next] = [randomUUID(), randomUUID()];
    await append(ahead);
    await append(next);
    await age([ahead], -60_000);
    await age([next], 6_000);
    const page = await log.page(account, 0, 10);
    expect([idsOf(page.entries), page.next, page.hasPending]).toEqual([[ahead, next], 2, false]);
  });

  test('has nothing of an account whose name begins alike', async ({ account, age, append, log }) => {
    const id = randomUUID();
    await append(id);
    await age([id], 6_000);
    for (const other of [account.slice(0, -1), `${account}1`, `${account}:`]) {
      const nothing = { entries: [], next: 0, hasPending: false };
      expect([await log.last(other), await log.page(other, 0, 10)]).toEqual([0, nothing]);
    }
  });
});

describe('an append', () => {
  test('that another one overtakes decides again', async ({ account, append, log }) => {
    const seen: number[] = [];
    const decide = async () => {
      seen.push(await log.last(account));
      if (seen.length === 1) await append(randomUUID());
      return { entries: [entry(GUIDE, randomUUID(), seen.length)], result: seen.length };
    };
    const result = await log.append(account, newAppend(), decide, never);
    expect([result, seen, await log.last(account)]).toEqual([2, [0, 1], 2]);
  });

  test('is open until it is done, with the guides of its own entries', async ({ account, append, log }) => {
    const first = await append(randomUUID(), randomUUID());
    const second = await append(randomUUID());
    const openIds = async () => (await log.unfinishedIds()).filter((id) => id.startsWith(`${account} `));
    expect(await openIds()).toEqual([...first.open, ...second.open]);
    const [id = ''] = first.open;
    expect(await log.openAppend(id)).toEqual({ append: first, account, guides: new Set([GUIDE]) });
    await log.done({ ...first, id: second.id }); // of another append
    expect(await openIds()).toHaveLength(2);
    await log.done(first);
    expect([await openIds(), await log.openAppend(id)]).toEqual([second.open, undefined]);
  });
});

test('who follows the feed of twenty writers sees each event once, and its guide has the new status by then', async ({
  log,
  stores,
}) => {
  const script = join(import.meta.dirname, 'event-writer.ts');
  const acknowledged = new Set<string>();
  const writers = Array.from({ length: 5 }, () => {
    const child = spawn(process.execPath, [script, stores.mongoUri, '4', '6'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    createInterface(child.stdout).on('line', (id) => acknowledged.add(id));
    return { child, ended: once(child, 'close') };
  });
  const [victim] = writers;
  await once(victim?.child.stdout as NodeJS.ReadableStream, 'data');
  victim?.child.kill('SIGKILL');
  let writing = true;
  const ended = Promise.all(writers.map((writer) => writer.ended)).then((codes) => {
    writing = false;
    return codes.map(([code]) => code);
  });
  const states = statesIn(stores.mongo);
  const seen: LogEntry[] = [];
  const early: LogEntry[] = [];
  for (let next = 0; writing || seen.length < (await log.last('demo')); ) {
    const page = await log.page('demo', next, 7);
    const stored = new Map((await states.find().toArray()).map(({ _id, version }) => [_id, version]));
    const now = (await log.now()).getTime();
    // The writer that was killed left an append open, which is shown when it is old.
    early.push(
      ...page.entries.filter(
        ({ told, version, registered }) =>
          (stored.get(told.Guia) ?? 0) < version && now - registered.getTime() < 5_000,
      ),
    );
    seen.push(...page.entries);
    next = page.next;
  }
  expect(await ended).toEqual([null, 0, 0, 0, 0]);
  expect(acknowledged.size).toBeGreaterThan(4 * 4 * 10);
  expect(new Set(idsOf(seen)).size).toBe(seen.length);
  expect([...acknowledged].filter((id) => !idsOf(seen).includes(id))).toEqual([]);
  expect(early).toEqual([]);
  // Every decision was made with all that stands before it.
  const versions = Map.groupBy(seen, ({ told }) => told.Guia);
  for (const of of versions.values()) {
    expect(of.map(({ version }) => version)).toEqual(of.map((_, i) => i + 1));
  }
});
