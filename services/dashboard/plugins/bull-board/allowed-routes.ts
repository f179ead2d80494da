/**
 * What Bull Board may do, by its own routes. Everything else is refused: a job that was added or edited by hand would be
 * a label that nobody asked for, and an obliterated queue loses everybody's labels.
 */
export const ALLOWED_ROUTES: ReadonlySet<string> = new Set([
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
