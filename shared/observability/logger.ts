import { type Logger, pino } from 'pino';
import { tracing } from './tracing.ts';

export type { Logger };

/**
 * The process's logger: JSON lines, pretty when a person watches on a terminal.
 *
 * Secrets are redacted by path as a last line of defence; the rule is not to hand them over at all.
 */
export function createLogger(service: string, level: string): Logger {
  return pino({
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: errorOnly },
    redact: ['*.authorization', '*.password', '*["x-password"]', '*.access_token'],
    ...(tracing && { mixin: tracing.logFields }),
    ...(process.stdout.isTTY && { transport: { target: 'pino-pretty' } }),
  });
}

/**
 * What an error says of itself. Libraries hang more on it, which pino would write too: ioredis the command with its
 * arguments (a whole label, or the password of AUTH), MongoDB the documents that it refused.
 */
function errorOnly(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { type, message, stack } = pino.stdSerializers.err(error);
  return { type, message, stack, code: (error as { code?: unknown }).code };
}
