import { failedDependencies, RefusesWrites } from './dependencies.ts';
import type { HttpServer } from './http-server.ts';

/**
 * Adds `/health/live`, which says that the process serves, and `/health/ready`, which says that every required
 * dependency answers in time and that the service is not closing. A store that answers but refuses to write is
 * `read-only`: the service stays ready, as what only reads goes on, and no other instance would fare better.
 */
export function addHealth(server: HttpServer, closing: () => boolean): void {
  const config = { quiet: true };
  server.get('/health/live', { config }, async () => ({ status: 'ok' }));
  server.get('/health/ready', { config }, async (request, reply) => {
    const required = new Map([...server.dependencies].filter(([, dependency]) => dependency.required));
    const failed = await failedDependencies(required);
    for (const [dependency, err] of failed) {
      request.log.warn({ err, dependency }, 'A dependency does not serve');
    }
    const states = [...required.keys()].map((name) => [name, stateOf(failed.get(name))] as const);
    const down = closing() || states.some(([_, state]) => state === 'down');
    const status = down ? 'down' : failed.size > 0 ? 'degraded' : 'ok';
    return reply.code(down ? 503 : 200).send({ status, ...Object.fromEntries(states) });
  });
}

function stateOf(failure: Error | undefined): 'ok' | 'read-only' | 'down' {
  if (!failure) return 'ok';
  return failure instanceof RefusesWrites ? 'read-only' : 'down';
}
