import type { Queue } from 'bullmq';
import { vi } from 'vitest';
import { groupsOfChildren } from '#local/process/process-id.ts';
import type { LabelJob } from '#shared/printing/label-job.ts';
import type { Part } from './part.ts';

/** Returns the process group of a worker's Chromium; undefined while it has none. */
export function chromiumOf(worker: Part): number | undefined {
  return groupsOfChildren(worker.pid).at(-1);
}

/** Sends a signal to a worker's Chromium, which must have one. @returns its process group. */
export function signalChromium(worker: Part, signal: NodeJS.Signals): number {
  const group = chromiumOf(worker);
  if (!group) throw new Error('The worker has no Chromium');
  process.kill(-group, signal);
  return group;
}

/** Waits for jobs that are active for a second, two at least: a stopped Chromium holds them. @returns their ids. */
export function standingJobs(queue: Queue<LabelJob>): Promise<string[]> {
  return vi.waitFor(
    async () => {
      const active = await queue.getActive(0, 1_000);
      const standing = active.filter(({ processedOn = Infinity }) => processedOn < Date.now() - 1_000);
      if (standing.length < 2) throw new Error('Nothing stands still');
      return standing.flatMap(({ id }) => id ?? []);
    },
    { timeout: 10_000, interval: 50 },
  );
}

/** Counts the jobs that another worker took over. */
export async function takenOver(queue: Queue<LabelJob>, ids: readonly string[]): Promise<number> {
  const jobs = await Promise.all(ids.map((id) => queue.getJob(id)));
  return jobs.filter((job) => job && job.stalledCounter > 0).length;
}
