import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import type { Job, Queue } from 'bullmq';
import type { LabelJob } from '#shared/contracts/label-job.ts';
import { errorHandler } from '#shared/http/error-handlers.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { dashboardErrors } from './errors.ts';
import { visibleJob } from './visible-job.ts';

/** Where Bull Board is; the label queue is at `/colas/queue/labels`. */
export const BULL_BOARD_PATH = '/colas';

/** The page brings inline styles; scripts come from files, as everywhere. */
const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'";

/** What Bull Board may answer, by its own routes: what its pages need of a queue that they only show. */
const ALLOWED_ROUTES = new Set([
  'get /api/queues',
  'get /api/queues/:queueName/:jobId',
  'get /api/queues/:queueName/:jobId/logs',
  'get /api/queues/:queueName/:jobId/flow',
  'get /api/queues/:queueName/default-job-options',
]);
const NO_FLOW = { body: { nodeId: '', flowRoot: null, isFlowNode: false } };

/** The system's own fonts: the page would ask another site for fonts. */
const FONTS = { 'font-sans': 'system-ui, sans-serif', 'font-mono': 'ui-monospace, monospace' };
const UI = {
  boardTitle: 'Etiquetas',
  locale: { lng: 'es-ES' },
  hideDocsLink: true,
  hideRedisDetails: true,
  showWorkers: false,
  theme: { light: FONTS, dark: FONTS },
};

/** Serves Bull Board for the label queue, without personal data. To be registered where a session is required. */
export function bullBoard(queue: Queue<LabelJob>) {
  return async (server: HttpServer) => {
    // Bull Board's own error handler answers with the text of any error.
    server.addHook('onRoute', (route) => {
      route.errorHandler = errorHandler(dashboardErrors);
    });
    server.addHook('onRequest', async (_request, reply) => {
      reply.header('content-security-policy', POLICY);
    });
    server.addHook('onSend', async (_request, reply, payload) =>
      String(reply.getHeader('content-type')).startsWith('text/html') ? adaptPage(String(payload)) : payload,
    );
    await server.register(createRoutes(queue), { prefix: BULL_BOARD_PATH });
  };
}

const WAY_BACK =
  '<nav aria-label="Tablero" style="position:fixed;left:.75rem;bottom:.75rem;z-index:1000"><a href="/" style="color:var(--foreground)">← Estado</a></nav>';

/** Removes the link to fonts of another site, says the page's language, by which screen readers speak, and adds the way back. */
function adaptPage(html: string): string {
  return html
    .replace(/<link href="https:[^>]*>/, '')
    .replace('lang="en"', 'lang="es"')
    .replace('<div id="root">', `${WAY_BACK}$&`);
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
      uiConfig: UI,
    },
  });
  return adapter.registerPlugin();
}

/** The label queue as Bull Board may see it: without personal data. */
class LabelQueueAdapter extends BullMQAdapter {
  /**
   * Read-only, so the page has no buttons. Retrying a job prints nothing: whoever asked for its label has an answer, and
   * the worker drops a label that nobody waits for. A job that somebody adds or edits is a label that nobody asked for.
   */
  constructor(queue: Queue<LabelJob>) {
    super(queue, { displayName: 'Etiquetas', readOnlyMode: true });
  }

  override async getJob(id: string): Promise<Job | undefined> {
    const job = await super.getJob(id);
    return job && masked(job);
  }

  override async getJobs(...range: Parameters<BullMQAdapter['getJobs']>): Promise<Job[]> {
    return (await super.getJobs(...range)).map(masked);
  }

  /** The label workers write no logs of jobs; a log that is there anyway may hold anything. */
  override async getJobLogs(): Promise<string[]> {
    return [];
  }
}

/** Bull Board reads a job only by `toJSON`, and passes some of it by its own formatters. */
function masked(job: Job): Job {
  return Object.assign(job, { toJSON: () => visibleJob(job) });
}
