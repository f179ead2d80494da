import { type Logger, pino } from 'pino';

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
    redact: ['*.authorization', '*.password', '*["x-password"]', '*.access_token'],
    ...(process.stdout.isTTY && { transport: { target: 'pino-pretty' } }),
  });
}
