import closeWithGrace from 'close-with-grace';
import { ConfigError } from '#shared/config/load-config.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { tracing } from '#shared/observability/tracing.ts';

/** A service that runs: `close` ends what it opened, in order, and never rejects for what is already gone. */
export type RunningService = { close(): Promise<void> };

/**
 * The process's part of a service: start it, and on SIGTERM or SIGINT close it gracefully within
 * `deadlineMs`. A second signal ends the process at once; an uncaught error closes it with exit code 1.
 */
export async function runService(
  start: () => Promise<{ log: Logger; deadlineMs: number; service: RunningService }>,
): Promise<void> {
  try {
    const { log, deadlineMs, service } = await start();
    closeWithGrace({ delay: deadlineMs, logger: false }, async ({ err, signal }) => {
      if (err) log.fatal({ err }, 'uncaught error, closing');
      else log.info({ signal }, 'closing');
      await service.close();
      await tracing?.close();
      log.info('closed');
    });
  } catch (error) {
    const text = error instanceof ConfigError ? error.message : (error as Error).stack;
    process.stderr.write(`${text}\n`);
    process.exit(1);
  }
}
