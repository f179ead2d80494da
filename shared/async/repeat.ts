import { setTimeout as delay } from 'node:timers/promises';

type Options = {
  /** Pause after success. */
  pauseMs: number;
  /** Pause after a failure; `pauseMs` by default. */
  retryMs?: number;
  /** Called after each run. Without it, failures are ignored. */
  log?: { failed(error: unknown): void; succeeded(): void };
};

/**
 * Runs `work` at once, and again after each pause.
 * @param work gets a signal that aborts when it is stopped.
 * @returns a function that stops the repetition, and resolves when the current run has ended. A failure of that run is
 * not logged.
 */
export function repeat(
  work: (signal: AbortSignal) => Promise<unknown>,
  { pauseMs, retryMs = pauseMs, log }: Options,
): () => Promise<void> {
  const end = new AbortController();
  const { signal } = end;
  async function run(): Promise<number> {
    try {
      await work(signal);
      log?.succeeded();
      return pauseMs;
    } catch (error) {
      if (!signal.aborted) log?.failed(error);
      return retryMs;
    }
  }
  async function runUntilEnd(): Promise<void> {
    while (!signal.aborted) await delay(await run(), undefined, { signal, ref: false }).catch(() => {});
  }
  const running = runUntilEnd();
  return () => {
    end.abort();
    return running;
  };
}
