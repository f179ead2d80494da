import { withTimeout } from '#shared/async/with-timeout.ts';
import type { HttpServer } from './http-server.ts';

/** What a service needs, by name; each rejects when it does not answer. */
export type Checks = Readonly<Record<string, () => Promise<unknown>>>;

/** A health check that takes longer has failed, in ms. */
const READY_TIMEOUT_MS = 1_000;

/** `/health/live`: the process serves. `/health/ready`: so does all that it needs, in time, and it is not about to end. */
export function addHealth(server: HttpServer, ready: Checks, closing: () => boolean): void {
  const config = { quiet: true };
  server.get('/health/live', { config }, async () => ({ status: 'ok' }));
  server.get('/health/ready', { config }, async (request, reply) => {
    const failed = await failures(ready);
    for (const [check, err] of failed) request.log.warn({ err, check }, 'not ready');
    const states = Object.keys(ready).map((name) => [name, failed.has(name) ? 'down' : 'ok']);
    const up = failed.size === 0 && !closing();
    return reply.code(up ? 200 : 503).send({ status: up ? 'ok' : 'down', ...Object.fromEntries(states) });
  });
}

/** The checks that fail now, or do not end in time, and why. */
export async function failures(checks: Checks): Promise<Map<string, Error>> {
  const failed = new Map<string, Error>();
  await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      await withTimeout(READY_TIMEOUT_MS, `The health check of ${name}`, check()).catch((error: Error) =>
        failed.set(name, error),
      );
    }),
  );
  return failed;
}
