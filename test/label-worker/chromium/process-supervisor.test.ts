import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  ProcessSupervisor,
  type SupervisedProcess,
  type SupervisorOptions,
} from '#services/label-worker/chromium/process-supervisor.ts';

/** A process that does what the test says. */
class FakeProcess implements SupervisedProcess {
  readonly #failure = Promise.withResolvers<unknown>();
  readonly failed = this.#failure.promise;
  /** Resolves the calls of `kill`. */
  readonly gone = Promise.withResolvers<void>();
  killed = false;
  ping = (): Promise<void> => Promise.resolve();
  bytes = 1_000;

  fail(): void {
    this.#failure.resolve(new Error('it crashed'));
  }
  residentBytes(): Promise<number> {
    return Promise.resolve(this.bytes);
  }
  kill(): Promise<void> {
    this.killed = true;
    return this.gone.promise;
  }
}

type Start = { reason: string; succeed(): Promise<FakeProcess>; fail(): Promise<void> };

/** What the supervisor started, in order; each start waits for the test to end it. */
let starts: Start[];
/** What the supervisor logged. */
let lines: { level: number; msg: string }[];
/** Whether a killed process is gone only when the test says so, with `gone`. */
let dieSlowly: boolean;

beforeEach(() => {
  starts = [];
  lines = [];
  dieSlowly = false;
});
afterEach(() => void vi.useRealTimers());

const useFakeTimers = () =>
  void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] });
const log = () => pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
const reasons = () => starts.map(({ reason }) => reason);
const errors = () => lines.filter(({ level }) => level >= 50).map(({ msg }) => msg);

/** Begins to start a supervisor, whose starts the test ends. */
function launch(changes: Partial<SupervisorOptions<FakeProcess>> = {}) {
  let reason = '';
  return ProcessSupervisor.start<FakeProcess>(
    {
      name: 'The fake',
      maxUses: 1_000,
      maxMemoryBytes: 10_000,
      healthIntervalMs: 5_000,
      onStart: (why) => {
        reason = why;
      },
      start: () => {
        const { promise, resolve, reject } = Promise.withResolvers<FakeProcess>();
        const succeed = async () => {
          const process = new FakeProcess();
          if (!dieSlowly) process.gone.resolve();
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
    },
    log(),
  );
}

/** Waits until everything that can happen now has happened. */
const settle = () => turn();
const isPending = (promise: Promise<void>) =>
  Promise.race([promise.then(() => false), settle().then(() => true)]);
const start = (number: number): Start => {
  const found = starts[number];
  if (!found) throw new Error(`Only ${starts.length} starts`);
  return found;
};

/** A supervisor whose first process serves. */
async function launched(changes: Partial<SupervisorOptions<FakeProcess>> = {}) {
  const launching = launch(changes);
  const first = await start(0).succeed();
  return { supervisor: await launching, first };
}

type Supervisor = ProcessSupervisor<FakeProcess>;
const processOf = (supervisor: Supervisor) => supervisor.use(async (process) => process);

/** A use that goes on until the test ends it; `process` is the one that it has. */
async function longUse(supervisor: Supervisor) {
  const { promise, resolve } = Promise.withResolvers<string>();
  const began = Promise.withResolvers<FakeProcess>();
  const ended = supervisor.use((process) => {
    began.resolve(process);
    return promise;
  });
  const process = await began.promise;
  return {
    process,
    end: async () => {
      resolve('done');
      expect(await ended).toBe('done');
      await settle();
    },
  };
}

describe('a start', () => {
  it('that fails is the error of the supervisor', async () => {
    const launching = launch();
    const failed = expect(launching).rejects.toThrow('it did not start');
    await start(0).fail();
    await failed;
    expect(reasons()).toEqual(['start']);
  });

  it('gives one process to every use', async () => {
    const { supervisor, first } = await launched();
    expect(await processOf(supervisor)).toBe(first);
    expect(await processOf(supervisor)).toBe(first);
    expect(await supervisor.status()).toMatchObject({ uses: 2, residentBytes: 1_000 });
    expect(reasons()).toEqual(['start']);
  });

  it('passes on what a use throws, and keeps the process', async () => {
    const { supervisor, first } = await launched();
    await expect(supervisor.use(() => Promise.reject(new Error('mine')))).rejects.toThrow('mine');
    expect(await processOf(supervisor)).toBe(first);
  });
});

describe('a process that fails', () => {
  it('is killed and replaced; a use waits for the next one', async () => {
    const { supervisor, first } = await launched();
    first.fail();
    await settle();
    expect(first.killed).toBe(true);
    expect(errors()).toEqual(['The fake failed, starting another']);
    const waiting = processOf(supervisor);
    expect(await start(1).succeed()).toBe(await waiting);
    expect(reasons()).toEqual(['start', 'failed']);
  });

  it('is replaced once, however many uses it fails', async () => {
    const { supervisor, first } = await launched();
    const uses = Array.from({ length: 3 }, () =>
      supervisor.use(async (process) => {
        await settle();
        process.fail();
        throw new Error('the use failed');
      }),
    );
    for (const use of await Promise.allSettled(uses)) expect(use.status).toBe('rejected');
    await settle();
    expect(first.killed).toBe(true);
    expect(reasons()).toEqual(['start', 'failed']);
    await start(1).succeed();
  });

  it('takes no use after the one that it failed', async () => {
    const { supervisor, first } = await launched();
    const next = supervisor
      .use(async (process) => {
        process.fail();
        throw new Error('the use failed');
      })
      .catch(() => processOf(supervisor));
    await settle();
    const second = await start(1).succeed();
    expect(await next).toBe(second);
    expect(second).not.toBe(first);
  });

  it('takes no use that is made at that moment', async () => {
    const { supervisor, first } = await launched();
    const use = processOf(supervisor);
    first.fail();
    await settle();
    expect(await start(1).succeed()).toBe(await use);
  });

  it('whose replacement does not start is replaced at the next use, and the use after that', async () => {
    const { supervisor, first } = await launched();
    first.fail();
    await settle();
    await start(1).fail();
    expect(errors()).toContain('The fake did not start, the next use tries again');
    expect(await supervisor.status()).toBeUndefined();

    const use = processOf(supervisor);
    const failed = expect(use).rejects.toThrow('it did not start');
    await settle();
    await start(2).fail();
    await failed;

    const another = processOf(supervisor);
    await settle();
    expect(await start(3).succeed()).toBe(await another);
    expect(reasons()).toEqual(['start', 'failed', 'failed', 'failed']);
  });
});

describe('a process that has served long enough', () => {
  it('serves on until its successor is up, and ends when its last use has', async () => {
    const { supervisor, first } = await launched({ maxUses: 2 });
    const long = await longUse(supervisor);
    await processOf(supervisor);
    await processOf(supervisor);
    expect(reasons()).toEqual(['start', 'recycled']);
    expect(await processOf(supervisor)).toBe(first);

    const second = await start(1).succeed();
    expect(await processOf(supervisor)).toBe(second);
    expect(first.killed).toBe(false);
    await long.end();
    expect(first.killed).toBe(true);
    expect(second.killed).toBe(false);
    expect(reasons()).toEqual(['start', 'recycled']);
    expect(errors()).toEqual([]);
  });

  it('is recycled for its memory too', async () => {
    useFakeTimers();
    const { supervisor, first } = await launched();
    first.bytes = 10_001;
    await vi.advanceTimersByTimeAsync(5_000);
    await settle();
    expect(reasons()).toEqual(['start', 'recycled']);
    const second = await start(1).succeed();
    expect(first.killed).toBe(true);
    expect(await processOf(supervisor)).toBe(second);
  });

  it('serves on when no successor starts, and is recycled after as many uses more', async () => {
    const { supervisor, first } = await launched({ maxUses: 2 });
    await processOf(supervisor);
    await processOf(supervisor);
    await start(1).fail();
    expect(errors()).toEqual(['No successor of The fake starts, the old one serves on']);
    expect(await processOf(supervisor)).toBe(first);
    expect(reasons()).toEqual(['start', 'recycled']);
    expect(await processOf(supervisor)).toBe(first);
    expect(reasons()).toEqual(['start', 'recycled', 'recycled']);
    const second = await start(2).succeed();
    expect(await processOf(supervisor)).toBe(second);
    expect(first.killed).toBe(true);
  });

  it('that fails while its successor starts is replaced, and the successor is not needed', async () => {
    const { supervisor, first } = await launched({ maxUses: 1 });
    await processOf(supervisor);
    first.fail();
    await settle();
    expect(reasons()).toEqual(['start', 'recycled', 'failed']);
    const successor = await start(1).succeed();
    expect(successor.killed).toBe(true);
    const replacement = await start(2).succeed();
    expect(replacement.killed).toBe(false);
    expect(await processOf(supervisor)).toBe(replacement);
  });

  it('and fails when it is retired needs no replacement', async () => {
    const { supervisor, first } = await launched({ maxUses: 1 });
    const long = await longUse(supervisor);
    await processOf(supervisor);
    const second = await start(1).succeed();
    first.fail();
    await settle();
    expect(first.killed).toBe(true);
    expect(reasons()).toEqual(['start', 'recycled']);
    expect(second.killed).toBe(false);
    await long.end();
  });

  it('has a successor that is replaced when it fails at once', async () => {
    const { supervisor, first } = await launched({ maxUses: 1 });
    await processOf(supervisor);
    const successor = start(1).succeed();
    void successor.then((process) => process.fail());
    await settle();
    await settle();
    expect(first.killed).toBe(true);
    expect((await successor).killed).toBe(true);
    expect(reasons()).toEqual(['start', 'recycled', 'failed']);
    expect(await start(2).succeed()).toBe(await processOf(supervisor));
  });
});

describe('a health check', () => {
  beforeEach(useFakeTimers);
  const intervals = async (count: number) => {
    for (let i = 0; i < count; i++) await vi.advanceTimersByTimeAsync(5_000);
    await settle();
  };

  it('that is missed once is forgotten with the next answer', async () => {
    const { first } = await launched();
    const ping = vi.fn(() => Promise.resolve());
    first.ping = ping;
    for (let i = 0; i < 3; i++) {
      ping.mockRejectedValueOnce(new Error('no answer'));
      await intervals(2);
    }
    expect(ping).toHaveBeenCalledTimes(6);
    expect(first.killed).toBe(false);
    expect(reasons()).toEqual(['start']);
  });

  it('that is missed twice in a row is a failure', async () => {
    const { first } = await launched();
    first.ping = () => Promise.reject(new Error('no answer'));
    await intervals(1);
    expect(first.killed).toBe(false);
    await intervals(1);
    expect(first.killed).toBe(true);
    expect(reasons()).toEqual(['start', 'failed']);
  });

  it('that hangs is missed after an interval', async () => {
    const { first } = await launched();
    first.ping = () => new Promise(() => {});
    await intervals(2);
    expect(first.killed).toBe(false);
    await intervals(1);
    expect(first.killed).toBe(true);
    await intervals(1);
    expect(reasons()).toEqual(['start', 'failed']);
  });

  it('is not counted for the next process', async () => {
    const { first } = await launched();
    first.ping = () => Promise.reject(new Error('no answer'));
    await intervals(2);
    const second = await start(1).succeed();
    second.ping = vi.fn(() => Promise.resolve()).mockRejectedValueOnce(new Error('no answer'));
    await intervals(3);
    expect(second.killed).toBe(false);
  });

  it('ends with its process', async () => {
    const { supervisor, first } = await launched();
    const ping = vi.fn(() => Promise.resolve());
    first.ping = ping;
    await supervisor.close();
    await intervals(3);
    expect(ping).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('requireHealthy', () => {
  beforeEach(useFakeTimers);

  it('tells of the last health check, and asks the process nothing', async () => {
    const { supervisor, first } = await launched();
    const ping = vi.fn(() => Promise.reject(new Error('no answer')));
    first.ping = ping;
    await supervisor.requireHealthy();
    expect(ping).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(5_000);
    await expect(supervisor.requireHealthy()).rejects.toThrow(
      'The fake did not answer its last health check',
    );
    first.ping = () => Promise.resolve();
    await vi.advanceTimersByTimeAsync(5_000);
    await supervisor.requireHealthy();
    expect(ping).toHaveBeenCalledTimes(1);
  });
});

describe('closing', () => {
  it('kills the process and waits until it is gone; no use is possible after it', async () => {
    dieSlowly = true;
    const { supervisor, first } = await launched();
    const closing = supervisor.close();
    expect([await isPending(closing), first.killed]).toEqual([true, true]);
    first.gone.resolve();
    await closing;
    await expect(processOf(supervisor)).rejects.toThrow('The fake is closed');
    await expect(supervisor.requireHealthy()).rejects.toThrow('The fake is closed');
    first.fail();
    await settle();
    expect(reasons()).toEqual(['start']);
    expect(errors()).toEqual([]);
  });

  it('while a replacement starts kills it when it is up', async () => {
    const { supervisor, first } = await launched();
    first.fail();
    await settle();
    const closing = supervisor.close();
    expect(await isPending(closing)).toBe(true);
    const second = await start(1).succeed();
    await closing;
    expect(second.killed).toBe(true);
    expect(reasons()).toEqual(['start', 'failed']);
    expect(errors()).toEqual(['The fake failed, starting another']);
  });

  it('while a successor starts kills both', async () => {
    const { supervisor, first } = await launched({ maxUses: 1 });
    await processOf(supervisor);
    const closing = supervisor.close();
    expect(first.killed).toBe(true);
    const second = await start(1).succeed();
    await closing;
    expect(second.killed).toBe(true);
    expect(errors()).toEqual([]);
  });

  it('kills a retired process with the uses that it has', async () => {
    const { supervisor, first } = await launched({ maxUses: 1 });
    const long = await longUse(supervisor);
    await processOf(supervisor);
    const second = await start(1).succeed();
    await supervisor.close();
    expect([first.killed, second.killed]).toEqual([true, true]);
    await long.end();
  });
});
