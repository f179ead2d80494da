import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type { IServerAdapter } from '@bull-board/api/typings/app';
import { FastifyAdapter } from '@bull-board/fastify';
import type { Job, Queue } from 'bullmq';
import { errorHandler } from '#shared/http/error-handler.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { dashboardErrors } from '../errors.ts';
import { visibleJob } from './visible-job.ts';

/** Where Bull Board is; its queue is at `/colas/queue/labels`. */
export const BOARD_PATH = '/colas';

/**
 * What Bull Board may do, by its own routes; all else is refused: a job added or edited by hand would be a label
 * that nobody asked for, and a queue that was obliterated has lost everybody's.
 */
const ALLOWED = new Set([
  'get /api/queues',
  'get /api/queues/:queueName/:jobId',
  'get /api/queues/:queueName/:jobId/logs',
  'get /api/queues/:queueName/:jobId/flow',
  'get /api/queues/:queueName/default-job-options',
  'get /api/queues/:queueName/rate-limit',
  'get /api/queues/:queueName/metrics',
  'put /api/queues/pause',
  'put /api/queues/resume',
  'put /api/queues/:queueName/pause',
  'put /api/queues/:queueName/resume',
  'put /api/queues/:queueName/retry/:queueStatus',
  'put /api/queues/:queueName/promote',
  'put /api/queues/:queueName/clean/:queueStatus',
  'put /api/queues/:queueName/empty',
  'put /api/queues/:queueName/:jobId/retry',
  'put /api/queues/:queueName/:jobId/clean',
  'put /api/queues/:queueName/:jobId/promote',
]);

/** Its page brings styles of its own; scripts come from files, as everywhere. */
const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'";

/** Its page asks another site for fonts, shows buttons for what is refused, and knows no way back. */
function ownPage(html: string): string {
  return html
    .replace(/<link href="https:[^>]*>/, '<link href="/recursos/cola.css" rel="stylesheet">')
    .replace('<div id="root">', '<a id="estado" href="/">← Estado</a>$&');
}

/** Those of the system. */
const FONTS = { 'font-sans': 'system-ui, sans-serif', 'font-mono': 'ui-monospace, monospace' };

const NO_FLOW = { body: { nodeId: '', flowRoot: null, isFlowNode: false } };

/** The queue as Bull Board may see it. */
class LabelQueueAdapter extends BullMQAdapter {
  override async getJob(id: string): Promise<Job | undefined> {
    const job = await super.getJob(id);
    return job && masked(job);
  }

  override async getJobs(...range: Parameters<BullMQAdapter['getJobs']>): Promise<Job[]> {
    return (await super.getJobs(...range)).map(masked);
  }

  /** Our workers write none. */
  override async getJobLogs(): Promise<string[]> {
    return [];
  }
}

/** Bull Board reads a job through `toJSON` only, and not all of it through its formatters. */
function masked(job: Job): Job {
  return Object.assign(job, { toJSON: () => visibleJob(job) });
}

/** Bull Board for the label queue, without personal data. To be registered where a session is demanded. */
export function board(queue: Queue) {
  return async (server: HttpServer) => {
    // Not Bull Board's own, which answers with whatever text an error has.
    server.addHook('onRoute', (route) => {
      route.errorHandler = errorHandler(dashboardErrors);
    });
    server.addHook('onRequest', async (_request, reply) => {
      reply.header('content-security-policy', POLICY);
    });
    server.addHook('onResponse', async (request) => {
      if (request.method !== 'GET') {
        const { method, apiUser, params, routeOptions } = request;
        request.log.info(
          { user: apiUser?.username, method, route: routeOptions.url, params },
          'queue action',
        );
      }
    });
    server.addHook('onSend', async (_request, reply, payload) =>
      String(reply.getHeader('content-type')).startsWith('text/html') ? ownPage(String(payload)) : payload,
    );
    const adapter = new FastifyAdapter().setBasePath(BOARD_PATH);
    createBullBoard({
      queues: [new LabelQueueAdapter(queue, { displayName: 'Etiquetas' })],
      // Its types are those of another build of @bull-board/api, which TypeScript tells apart by private fields.
      serverAdapter: adapter as unknown as IServerAdapter,
      options: {
        handlerHooks: {
          before: ({ method, route }) =>
            ALLOWED.has(`${method} ${route}`) ? undefined : { allow: false, status: 403 },
          // A label is no part of a flow, and Bull Board reads flows past our adapter.
          after: ({ route }, result) => (route.endsWith('/flow') ? NO_FLOW : result),
        },
        uiConfig: {
          boardTitle: 'Etiquetas',
          locale: { lng: 'es-ES' },
          hideDocsLink: true,
          hideRedisDetails: true,
          showWorkers: false,
          theme: { light: FONTS, dark: FONTS },
        },
      },
    });
    await server.register(adapter.registerPlugin(), { prefix: BOARD_PATH });
  };
}
