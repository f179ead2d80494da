import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export type RunningPrinter = {
  /** @returns labels a second. */
  print(labels: number): Promise<number>;
  stop(): Promise<void>;
};

/** Starts a printer in a process of its own; it ends with us. */
export function startPrinter(name: string, chromiumPath: string): RunningPrinter {
  const child = fork(join(import.meta.dirname, 'run.ts'), [name, chromiumPath]);
  const ended = once(child, 'exit');
  return {
    async print(labels) {
      child.send(labels);
      const answer = await Promise.race([once(child, 'message'), ended]);
      const { labelsPerSecond, failure = 'its process ended' } = Object(answer[0]) as {
        labelsPerSecond?: number;
        failure?: string;
      };
      if (labelsPerSecond === undefined) throw new Error(`${name}: ${failure}`);
      return labelsPerSecond;
    },
    async stop() {
      if (child.connected) child.disconnect();
      const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await ended;
      clearTimeout(timer);
    },
  };
}
