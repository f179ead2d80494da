import { repeat } from '#shared/async/repeat.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { FailureLog } from '#shared/observability/failure-log.ts';

type Options = {
  /** In health answers and metrics. */
  name: string;
  /** Sentences of the log: that it does not serve, before the reason, and that it serves again. */
  failed: string;
  recovered: string;
  /** Pauses between checks, in ms, after a good one and after a bad one. */
  pauseMs: number;
  retryMs: number;
};

/** Checks again and again whether something outside serves, and shows it as a dependency without which the process is ready. */
export function watchDependency(
  server: HttpServer,
  { name, failed, recovered, pauseMs, retryMs }: Options,
  check: () => Promise<void>,
) {
  let failure: Error | undefined;
  const { promise: checked, resolve } = Promise.withResolvers<void>();
  const look = async () => {
    failure = await check().then(
      () => undefined,
      (error: Error) => error,
    );
    resolve();
    if (failure) throw failure;
  };
  const log = new FailureLog(server.log, {
    failed: (err) => `${failed}: ${err.message}`,
    recovered,
  });
  const stop = repeat(look, { pauseMs, retryMs, log });
  server.addHook('onClose', stop);
  const lastCheck = async () => {
    await checked;
    if (failure) throw failure;
  };
  server.dependencies.set(name, { check: lastCheck, required: false });
  return {
    /** Resolves after the first check, however it ended. */
    checked,
    serves: () =>
      lastCheck().then(
        () => true,
        () => false,
      ),
    /** Tells it of an error that a use has met, until the next check. */
    fail: (error: Error) => {
      failure = error;
    },
  };
}
