import type { Job } from 'bullmq';
import { type LabelEnd, takeJoined, tellAnswer } from '#shared/contracts/label-answers.ts';
import { takeAskers } from '#shared/contracts/label-askers.ts';
import type { LabelJob } from '#shared/contracts/label-job.ts';
import type { Logger } from '#shared/observability/logger.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import { identify, keyOf } from './job-identity.ts';

type Options = { redis: RedisClient; prefix: string; log: Logger };

/**
 * Tells the api process whose job it is how it ends. Once the label is stored, it need not wait until the job is completed.
 *
 * Nobody waits for this: a process that is not told looks for the label itself, two to four seconds later.
 */
export function tellOwner(job: Job<LabelJob>, end: LabelEnd, options: Options): void {
  const { replyTo } = job.data;
  if (replyTo) tell(job, [replyTo], end, options);
}

/**
 * Tells the other api processes that wait for the label how its job has ended. To be called when it has: a process that
 * joins them afterwards sees that itself.
 */
export function tellJoined(job: Job<LabelJob>, end: LabelEnd, options: Options): void {
  const { redis, prefix, log } = options;
  takeJoined(redis, prefix, job.id ?? '').then(
    (processes) => tell(job, processes, end, options),
    (err) => log.warn({ err, ...identify(job) }, 'Other processes are not told how a label ended'),
  );
}

/** Logs the requests that waited for the label beside the first one, so that each of them can be followed here. */
export function logAskers(job: Job<LabelJob>, { redis, prefix, log }: Options): void {
  takeAskers(redis, prefix, keyOf(job)).then(
    (requestIds) => {
      if (requestIds.length > 0)
        log.info({ ...identify(job), requestIds }, 'Other requests waited for the label');
    },
    (err) => log.warn({ err, ...identify(job) }, 'Other requests that waited for the label are not known'),
  );
}

function tell(
  job: Job<LabelJob>,
  processes: Iterable<string>,
  end: LabelEnd,
  { redis, prefix, log }: Options,
): void {
  tellAnswer(redis, prefix, processes, { jobId: job.id ?? '', end }).catch((err) =>
    log.warn({ err, ...identify(job) }, 'The api is not told how a label ended'),
  );
}
