import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** So many labels, as the printer is fastest, or alone: one after the other, each in a print of its own. */
export type Prints = { count: number; alone: boolean };

/** `latencies` are the ms of each print. */
export type Printed = { labelsPerSecond: number; latencies: number[] };

export type RunningPrinter = {
  /** @returns labels a second. */
  print(count: number): Promise<number>;
  /** Prints one label after the other. @returns the ms of each. */
  printAlone(count: number): Promise<number[]>;
  stop(): Promise<void>;
};

/** Starts a printer in a process of its own; it ends with us. */
export function startPrinter(name: string, chromiumPath: string): RunningPrinter {
  const child = fork(join(import.meta.dirname, 'run.ts'), [name, chromiumPath]);
  const ended = once(child, 'exit');
  const printed = async (prints: Prints): Promise<Printed> => {
    child.send(prints);
    const [answer] = await Promise.race([once(child, 'message'), ended]);
    const { failure = 'its process ended', ...rest } = Object(answer) as Partial<Printed> & {
      failure?: string;
    };
    if (rest.labelsPerSecond === undefined) throw new Error(`${name}: ${failure}`);
    return rest as Printed;
  };
  return {
    print: async (count) => (await printed({ count, alone: false })).labelsPerSecond,
    printAlone: async (count) => (await printed({ count, alone: true })).latencies,
    async stop() {
      if (child.connected) child.disconnect();
      const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await ended;
      clearTimeout(timer);
    },
  };
}
