import type { HttpServer } from './http-server.ts';

/** A health check that takes longer has failed, in ms. */
const READY_DEADLINE = 1_000;

/** `/health/live`: the process serves. `/health/ready`: so does all that it needs, in time. */
export function addHealth(server: HttpServer, ready: Record<string, () => Promise<unknown>>): void {
  const config = { quiet: true };
  server.get('/health/live', { config }, async () => ({ status: 'ok' }));
  server.get('/health/ready', { config }, async (request, reply) => {
    const checks = await Promise.all(
      Object.entries(ready).map(async ([name, check]) => {
        const late = AbortSignal.timeout(READY_DEADLINE);
        const timeout = new Promise((_, reject) => {
          late.addEventListener('abort', () => reject(late.reason), { once: true });
        });
        return Promise.race([check(), timeout]).then(
          () => [name, 'ok'] as const,
          (error: Error) => {
            request.log.warn({ err: error, check: name }, 'not ready');
            return [name, 'down'] as const;
          },
        );
      }),
    );
    const up = checks.every(([, state]) => state === 'ok');
    return reply.code(up ? 200 : 503).send({ status: up ? 'ok' : 'down', ...Object.fromEntries(checks) });
  });
}
