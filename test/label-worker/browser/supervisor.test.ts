import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  type SupervisedProcess,
  Supervisor,
  type SupervisorOptions,
} from '#services/label-worker/browser/supervisor.ts';

/** A process that does what the test says. */
class FakeProcess implements SupervisedProcess {
  readonly #failure = Promise.withResolvers<unknown>();
  readonly failed = this.#failure.promise;
  killed = false;
  bytes = 1_000;
  checkHealth = (): Promise<number | undefined> => Promise.resolve(this.bytes);

  fail(): void {
    this.#failure.resolve(new Error('it crashed'));
  }
  async kill(): Promise<void> {
    this.killed = true;
  }
}

type Start = { reason: string; succeed(): Promise<FakeProcess>; fail(): Promise<void> };

/** What the supervisor started after the first process, in order; each start waits for the test to end it. */
let starts: Start[];
/** What the supervisor logged. */
let lines: { level: number; msg: string }[];

beforeEach(() => {
  starts = [];
  lines = [];
});
afterEach(() => void vi.useRealTimers());

const useFakeTimers = () =>
  void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'Date'] });
const log = () => pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
const reasons = () => starts.map(({ reason }) => reason);
const errors = () => lines.filter(({ level }) => level >= 50).map(({ msg }) => msg);

/** A supervisor whose first process serves. */
async function launched(changes: Partial<SupervisorOptions<FakeProcess>> = {}) {
  let reason = '';
  const first = new FakeProcess();
  const options: SupervisorOptions<FakeProcess> = {
    name: 'The fake',
    maxUses: 1_000,
    maxGrowthBytes: 10_000,
    recyclePauseMs: 0,
    healthIntervalMs: 5_000,
    onStart: (why) => {
      reason = why;
    },
    start: () => {
      const { promise, resolve, reject } = Promise.withResolvers<FakeProcess>();
      const succeed = async () => {
        const process = new FakeProcess();
        resolve(process);
        await settle();
        return process;
      };
      const fail = async () => {
        reject(new Error('it did not start'));
        await settle();
      };
      starts.push({ reason, succeed, fail });
      return promise;
    },
    ...changes,
  };
  const supervisor = new Supervisor<FakeProcess>(options, first, log());
  await settle();
  return { supervisor, first };
}

/** Waits until everything that can happen now has happened. */
const settle = () => turn();
const isPending = (promise: Promise<void>) =>
  Promise.race([promise.then(() => false), settle().then(() => true)]);
/** The first start after that of the first process is 1. */
const start = (number: number): Start => {
  const found = starts[number - 1];
  if (!found) throw new Error(`Only ${starts.length} starts`);
  return found;
};

const processOf = (supervisor: Supervisor<FakeProcess>) => supervisor.use(async (process) => process);

it('a process that fails whose replacement does not start is replaced at the next use, and the use after that', async () => {
  const { supervisor, first } = await launched();
  first.fail();
  await settle();
  await start(1).fail();
  expect(errors()).toContain('The fake did not start, the next use or health check tries again');

  const use = processOf(supervisor);
  const failed = expect(use).rejects.toThrow('it did not start');
  await settle();
  await start(2).fail();
  await failed;

  const another = processOf(supervisor);
  await settle();
  expect(await start(3).succeed()).toBe(await another);
  expect(reasons()).toEqual(['failed', 'failed', 'failed']);
});

it('a process that has served long enough serves on when no successor starts, and is recycled after the pause', async () => {
  useFakeTimers();
  const { supervisor, first } = await launched({ maxUses: 2, recyclePauseMs: 60_000 });
  await vi.advanceTimersByTimeAsync(60_000);
  await processOf(supervisor);
  await processOf(supervisor);
  await start(1).fail();
  expect(errors()).toEqual(['The fake did not start, the old one serves on']);
  expect(await processOf(supervisor)).toBe(first);
  expect(reasons()).toEqual(['recycled']);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await processOf(supervisor)).toBe(first);
  expect(reasons()).toEqual(['recycled', 'recycled']);
  const second = await start(2).succeed();
  expect(await processOf(supervisor)).toBe(second);
  expect(first.killed).toBe(true);
});

it('a process that is replaced in use finishes its work, and then ends', async () => {
  const { supervisor, first } = await launched({ maxUses: 1 });
  const [work, longer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const uses = [supervisor.use(() => work.promise), supervisor.use(() => longer.promise)];
  work.resolve();
  await settle();
  const second = await start(1).succeed();
  expect(await processOf(supervisor)).toBe(second);
  expect(first.killed).toBe(false);
  longer.resolve();
  await Promise.all(uses);
  await settle();
  expect([first.killed, second.killed]).toEqual([true, false]);
});

it('a process that misses two health checks in a row is replaced, and one that misses every other serves on', async () => {
  useFakeTimers();
  const { supervisor, first } = await launched();
  const check = async (answers: boolean) => {
    first.checkHealth = async () => {
      if (!answers) throw new Error('it hangs');
      return 1_000;
    };
    await vi.advanceTimersByTimeAsync(5_000);
  };
  for (let time = 0; time < 3; time++) {
    await check(false);
    await expect(supervisor.requireHealthy()).rejects.toThrow(
      'The fake did not answer its last health check',
    );
    await check(true);
    await supervisor.requireHealthy();
  }
  expect([reasons(), first.killed]).toEqual([[], false]);
  await check(false);
  await check(false);
  expect([reasons(), first.killed]).toEqual([['failed'], true]);
  await expect(supervisor.requireHealthy()).rejects.toThrow('The fake does not run');
});

it('closing while a replacement starts kills it when it is up', async () => {
  const { supervisor, first } = await launched();
  first.fail();
  await settle();
  const closing = supervisor.close();
  expect(await isPending(closing)).toBe(true);
  const second = await start(1).succeed();
  await closing;
  expect(second.killed).toBe(true);
  expect(reasons()).toEqual(['failed']);
  expect(errors()).toEqual(['The fake failed, starting another']);
});
