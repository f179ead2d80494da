import { failedDependencies, RefusesWrites } from './dependencies.ts';
import type { HttpServer } from './http-server.ts';

type State = 'ok' | 'read-only' | 'down';

/**
 * Adds `/health/live`, which says that the process serves, and `/health/ready`, which says whether to send it requests
 * (docs/contract.md "Ports").
 *
 * A process becomes ready once its start is done and each required dependency has answered. From then on the outage of a
 * store, which all processes share, makes it `degraded` and not unready: no other process would fare better, and clients
 * get our 503 with `Retry-After`, not a balancer's own (docs/decisions/0023-readiness.md).
 */
export function addHealth(server: HttpServer, closing: () => boolean): void {
  const config = { quiet: true };
  const states = new Map<string, State>();
  const answered = new Set<string>();
  const isDown = ([name, { own }]: [string, { own?: true }]) =>
    !answered.has(name) || (own && states.get(name) === 'down');
  server.get('/health/live', { config }, async () => ({ status: 'ok' }));
  server.get('/health/ready', { config }, async (request, reply) => {
    const required = new Map([...server.dependencies].filter(([, dependency]) => dependency.required));
    const failed = await failedDependencies(required);
    for (const dependency of required.keys()) {
      const err = failed.get(dependency);
      const state = stateOf(err);
      const before = states.get(dependency) ?? 'ok';
      if (state !== before && err) request.log.warn({ err, dependency }, 'A dependency does not serve');
      if (state !== before && !err) request.log.info({ dependency }, 'A dependency serves again');
      if (state !== 'down') answered.add(dependency);
      states.set(dependency, state);
    }
    const starting = !server.startup.isDone;
    const down = closing() || starting || [...required].some(isDown);
    const status = down ? 'down' : failed.size > 0 ? 'degraded' : 'ok';
    return reply
      .code(down ? 503 : 200)
      .send({ status, ...Object.fromEntries(states), ...(starting && { start: 'waiting' }) });
  });
}

function stateOf(failure: Error | undefined): State {
  if (!failure) return 'ok';
  return failure instanceof RefusesWrites ? 'read-only' : 'down';
}
