import { setTimeout as sleep } from 'node:timers/promises';
import { describeFailure, type OwnedProcess } from '#local/process/owned-process.ts';

/** Longest time that a part may take to start, in ms: beside other load a service takes half a minute to be read from disk. */
const START_DEADLINE = 60_000;

/** A part of the system: processes that are killed together and started again as they were. */
export class Part {
  readonly #processes: OwnedProcess[];
  readonly #isUp: () => Promise<boolean>;
  /** Address of the service, where the part is one. */
  readonly url: string;

  /** @param processes in the order in which they are started. */
  constructor(processes: OwnedProcess[], isUp: () => Promise<boolean>, url = '') {
    if (processes.length === 0) throw new Error('Only what the test itself starts can be killed');
    this.#processes = processes;
    this.#isUp = isUp;
    this.url = url;
  }

  /** Id of its first process. */
  get pid(): number {
    return this.#processes[0]?.pid as number;
  }

  get logFile(): string {
    return this.#processes[0]?.logFile as string;
  }

  /** Sends SIGKILL and waits until every process is gone. @throws when one ended otherwise. */
  async kill(): Promise<void> {
    for (const one of this.#processes) one.kill('SIGKILL');
    for (const { name, ended } of this.#processes) {
      const { signal, text } = await ended;
      if (signal !== 'SIGKILL') throw new Error(`${name} was not killed: ${text}`);
    }
  }

  /** Sends SIGTERM and waits for the end. @throws when a process exits with another code than 0. */
  async terminate(): Promise<void> {
    for (const one of this.#processes.toReversed()) {
      await one.stop();
      const { exitCode, text } = await one.ended;
      if (exitCode !== 0) throw new Error(describeFailure(one, text));
    }
  }

  /** Starts processes that do not run until all are ready, as a supervisor does: a first try may meet a stale lock. */
  async start(): Promise<void> {
    const deadline = Date.now() + START_DEADLINE;
    while (!(await this.#isUp().catch(() => false))) {
      for (const [i, one] of this.#processes.entries()) {
        if (Date.now() > deadline) throw new Error(describeFailure(one, 'not up in time'));
        if (!one.isRunning()) this.#processes[i] = one.startAgain();
      }
      await sleep(50);
    }
  }

  /** Stops every process; for the end of a test file. */
  async end(): Promise<void> {
    for (const one of this.#processes.toReversed()) await one.stop();
  }
}
