import type { Queue } from 'bullmq';
import type { Trail } from '#shared/audit/trail.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { compileTemplate } from '../views/templates.ts';

const ACTIONS = { '/pausar': 'pause', '/reanudar': 'resume' } as const;
const page = compileTemplate<object>('pausar')({});

/**
 * `/pausar` and `/reanudar`: whether the label workers take jobs. A pause stops every customer's labels, so a page asks
 * first. The trail records who did it. To be registered where a session is required.
 */
export function pauseRoutes(queue: Queue, trail: Trail) {
  return async (server: HttpServer) => {
    server.get('/pausar', async (_request, reply) => reply.type('text/html; charset=utf-8').send(page));
    for (const [path, action] of Object.entries(ACTIONS)) {
      server.post(path, async (_request, reply) => {
        await queue[action]();
        return reply.redirect('/', 303);
      });
    }
    server.addHook('onResponse', async ({ method, url, apiUser, ip, id }, { statusCode }) => {
      if (method !== 'POST' || !apiUser) return;
      trail.record({
        action: url === '/pausar' ? 'queue.pause' : 'queue.resume',
        actor: apiUser.username,
        address: ip,
        requestId: id,
        outcome: statusCode < 400 ? 'ok' : 'failed',
      });
    });
  };
}
