import { setTimeout as delay } from 'node:timers/promises';

type Options = {
  /** Pause after work that succeeded, in ms. */
  pauseMs: number;
  /** Pause after work that failed, in ms. */
  retryMs?: number;
  /** Is called after each run; a failure is ignored without it. */
  log?: { failed(error: unknown): void; succeeded(): void };
};

/**
 * Does some work at once, and again after each pause, until the function that it returns is called. That function resolves
 * when the work under way has ended. A failure of work that was stopped is not logged.
 *
 * @param work gets a signal that aborts when it is to end.
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
