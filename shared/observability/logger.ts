import { type Logger, type LoggerOptions, pino } from 'pino';
import { LogOutput } from './log-output.ts';
import type { Tracing } from './tracing.ts';

export type { Logger };

/** Standard output, of all loggers of this process. */
const output = new LogOutput(1);

/**
 * Creates a logger that writes JSON lines to standard output. Redacts secrets by path as a last defence: never pass
 * them to the logger.
 * @param tracing adds the id of the current trace to every line.
 */
export function createLogger(service: string, level: string, tracing?: Tracing): Logger {
  const options: LoggerOptions = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: errorOnly },
    redact: ['*.authorization', '*.password', '*["x-password"]', '*.access_token'],
    ...(tracing && { mixin: tracing.logFields }),
  };
  return pino(options, output);
}

/**
 * Returns an error's type, message, stack and code. pino would write every property, and libraries attach secrets and
 * personal data: ioredis a command's arguments, MongoDB refused documents.
 */
function errorOnly(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { type, message, stack } = pino.stdSerializers.err(error);
  return { type, message, stack, code: (error as { code?: unknown }).code };
}
