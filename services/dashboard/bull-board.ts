import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import type { Job, Queue } from 'bullmq';
import { errorHandler } from '#shared/http/error-handlers.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { LABEL_QUEUE, type LabelJob } from '#shared/printing/label-job.ts';
import { dashboardErrors } from './errors.ts';
import { visibleJob } from './visible-job.ts';

const BULL_BOARD_PATH = '/colas';
/** The page of the label queue. */
export const BULL_BOARD_QUEUE = `${BULL_BOARD_PATH}/queue/${LABEL_QUEUE}`;

/** Allows the page's inline styles. */
const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'";

/** Only these routes answer, because read-only pages need no others. */
const ALLOWED_ROUTES = new Set([
  'get /api/queues',
  'get /api/queues/:queueName/:jobId',
  'get /api/queues/:queueName/:jobId/logs',
  'get /api/queues/:queueName/:jobId/flow',
  'get /api/queues/:queueName/default-job-options',
]);
const NO_FLOW = { body: { nodeId: '', flowRoot: null, isFlowNode: false } };

/** Without these, the page would request fonts from another site. */
const FONTS = { 'font-sans': 'system-ui, sans-serif', 'font-mono': 'ui-monospace, monospace' };
const UI = {
  boardTitle: 'Etiquetas',
  locale: { lng: 'es-ES' },
  hideDocsLink: true,
  hideRedisDetails: true,
  showWorkers: false,
  theme: { light: FONTS, dark: FONTS },
};

/** Serves Bull Board without personal data. Register it behind a session. */
export function bullBoard(queue: Queue<LabelJob>) {
  return async (server: HttpServer) => {
    // Replaces Bull Board's error handler, which answers with the text of any error.
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

const STATUS_LINK =
  '<nav aria-label="Tablero" style="position:fixed;left:.75rem;bottom:.75rem;z-index:1000"><a href="/" style="color:var(--foreground)">← Estado</a></nav>';

/** Removes fonts of another site, sets the language for screen readers, and adds a link to the status page. */
function adaptPage(html: string): string {
  return html
    .replace(/<link href="https:[^>]*>/, '')
    .replace('lang="en"', 'lang="es"')
    .replace('<div id="root">', `${STATUS_LINK}$&`);
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
        // Bull Board reads flows without asking the queue's adapter. Labels belong to no flow.
        after: ({ route }, result) => (route.endsWith('/flow') ? NO_FLOW : result),
      },
      uiConfig: UI,
    },
  });
  return adapter.registerPlugin();
}

class LabelQueueAdapter extends BullMQAdapter {
  /**
   * Read-only, so the page has no buttons. A retry would print nothing, because the job's request has been answered. An
   * added or edited job would be a label that no client asked for.
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

  /** Label workers write no job logs, and a log from elsewhere may hold anything. */
  override async getJobLogs(): Promise<string[]> {
    return [];
  }
}

/** Bull Board reads a job by `toJSON` alone. */
function masked(job: Job): Job {
  return Object.assign(job, { toJSON: () => visibleJob(job) });
}
