import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type { Job, Queue } from 'bullmq';
import type { LabelJob } from '#shared/contracts/label-job.ts';
import { visibleJob } from '../../status/visible-job.ts';

/** The label queue as Bull Board may see it: without personal data. */
export class LabelQueueAdapter extends BullMQAdapter {
  constructor(queue: Queue<LabelJob>) {
    super(queue, { displayName: 'Etiquetas' });
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
