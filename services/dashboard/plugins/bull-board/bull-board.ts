import { createBullBoard } from '@bull-board/api';
import { FastifyAdapter } from '@bull-board/fastify';
import type { Queue } from 'bullmq';
import type { FastifyRequest } from 'fastify';
import type { Trail } from '#shared/audit/trail.ts';
import type { LabelJob } from '#shared/contracts/label-job.ts';
import { errorHandler } from '#shared/http/error-handlers.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { dashboardErrors } from '../../errors.ts';
import { ALLOWED_ROUTES } from './allowed-routes.ts';
import { LabelQueueAdapter } from './label-queue-adapter.ts';
import { adaptPage, BULL_BOARD_POLICY, BULL_BOARD_UI } from './page.ts';

/** Where Bull Board is; the label queue is at `/colas/queue/labels`. */
export const BULL_BOARD_PATH = '/colas';

const NO_FLOW = { body: { nodeId: '', flowRoot: null, isFlowNode: false } };

/** Serves Bull Board for the label queue, without personal data. To be registered where a session is required. */
export function bullBoard(queue: Queue<LabelJob>, trail: Trail) {
  return async (server: HttpServer) => {
    // Bull Board's own error handler answers with the text of any error.
    server.addHook('onRoute', (route) => {
      route.errorHandler = errorHandler(dashboardErrors);
    });
    server.addHook('onRequest', async (_request, reply) => {
      reply.header('content-security-policy', BULL_BOARD_POLICY);
    });
    server.addHook('onSend', async (_request, reply, payload) =>
      String(reply.getHeader('content-type')).startsWith('text/html') ? adaptPage(String(payload)) : payload,
    );
    server.addHook('onResponse', async (request, { statusCode }) => recordAction(trail, request, statusCode));
    await server.register(createRoutes(queue), { prefix: BULL_BOARD_PATH });
  };
}

function createRoutes(queue: Queue<LabelJob>) {
  const adapter = new FastifyAdapter().setBasePath(BULL_BOARD_PATH);
  createBullBoard({
    queues: [new LabelQueueAdapter(queue)],
    serverAdapter: adapter,
    options: {
      handlerHooks: {
        before: ({ method, route }) =>
          ALLOWED_ROUTES.has(`${method} ${route}`) ? undefined : { allow: false, status: 403 },
        // A label belongs to no flow, and Bull Board reads flows without asking the queue's adapter.
        after: ({ route }, result) => (route.endsWith('/flow') ? NO_FLOW : result),
      },
      uiConfig: BULL_BOARD_UI,
    },
  });
  return adapter.registerPlugin();
}

/** Records who changed what in the queue, and who tried to. */
function recordAction(trail: Trail, request: FastifyRequest, status: number): void {
  const { method, apiUser, params, routeOptions, ip, id } = request;
  if (method === 'GET' || !apiUser) return;
  const words = (routeOptions.url ?? '').split('/').filter((word) => word && !word.startsWith(':'));
  const { jobId, queueStatus } = params as Record<string, string | undefined>;
  trail.record({
    action: `queue.${words.at(-1)}`,
    actor: apiUser.username,
    address: ip,
    requestId: id,
    subject: jobId ?? queueStatus,
    outcome: status < 400 ? 'ok' : status < 500 ? 'refused' : 'failed',
  });
}
