import { failedDependencies } from './dependencies.ts';
import type { HttpServer } from './http-server.ts';

/**
 * Adds `/health/live`, which says that the process serves, and `/health/ready`, which says that every required
 * dependency answers in time and that the service is not closing.
 */
export function addHealth(server: HttpServer, closing: () => boolean): void {
  const config = { quiet: true };
  server.get('/health/live', { config }, async () => ({ status: 'ok' }));
  server.get('/health/ready', { config }, async (request, reply) => {
    const required = new Map([...server.dependencies].filter(([, dependency]) => dependency.required));
    const failed = await failedDependencies(required);
    for (const [dependency, err] of failed) {
      request.log.warn({ err, dependency }, 'The service is not ready: a dependency does not answer');
    }
    const states = [...required.keys()].map((name) => [name, failed.has(name) ? 'down' : 'ok']);
    const ready = failed.size === 0 && !closing();
    return reply
      .code(ready ? 200 : 503)
      .send({ status: ready ? 'ok' : 'down', ...Object.fromEntries(states) });
  });
}
