import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type { Job } from 'bullmq';
import { writeCheckKey } from '#shared/stores/redis-state.ts';
import { boardPrefix, type Shard } from '../../status/shard-states.ts';
import { visibleJob } from '../../status/visible-job.ts';

/** The label queue of a shard as Bull Board may see it: without personal data. */
export class LabelQueueAdapter extends BullMQAdapter {
  constructor({ name, queue, redis, prefix }: Shard) {
    super(queue, {
      prefix: boardPrefix(name),
      displayName: name === '0' ? 'Etiquetas' : `Etiquetas, fragmento ${name}`,
    });
    // A shard that is away, or hangs, would take the board of all others with it.
    this.setVisibilityGuard(() =>
      redis.exists(writeCheckKey(prefix)).then(
        () => true,
        () => false,
      ),
    );
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
