import { repeat } from '#shared/async/repeat.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { FailureLog } from '#shared/observability/failure-log.ts';

/** Pause between sweeps for work that a crash has cut, in ms. */
export const SWEEP_MS = 10_000;

type Options = {
  /** Names the work in the log while it waits for the stores. */
  name: string;
  pauseMs: number;
  failed: string;
};

/** Repeats some work once the stores are connected. Closing waits for the current run. */
export function repeatOnceConnected(
  server: HttpServer,
  { name, pauseMs, failed }: Options,
  work: (signal: AbortSignal) => Promise<void>,
): void {
  let stop = async () => {};
  server.addHook('onClose', () => stop());
  server.startup.onceConnected(name, async () => {
    stop = repeat(work, { pauseMs, log: new FailureLog(server.log, { failed }) });
  });
}
