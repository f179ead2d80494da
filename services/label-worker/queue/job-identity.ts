import type { Job } from 'bullmq';
import { keyOfJob, type LabelJob } from '#shared/contracts/label-job.ts';

/** Returns what a log line says of a job, which is no personal data. */
export function identify(job: Job<LabelJob>): { requestId: string; label: string } {
  return { requestId: job.data.requestId, label: keyOf(job) };
}

/** Returns the key of a job's label, as it was asked for. */
export function keyOf(job: Job<LabelJob>): string {
  return keyOfJob(job.id ?? '');
}
