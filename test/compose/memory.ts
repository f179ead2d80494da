import { setTimeout as sleep } from 'node:timers/promises';
import type { ComposeProject } from './compose-project.ts';

const UNITS: Record<string, number> = { B: 2 ** -20, KiB: 2 ** -10, MiB: 1, GiB: 2 ** 10 };

export type Memory = { peakMiB: number; limitMiB: number };

/** Runs `work`, and returns the most memory that each container had meanwhile, without the files that it reads. */
export async function peaksDuring(
  project: ComposeProject,
  work: () => Promise<unknown>,
): Promise<Map<string, Memory>> {
  const peaks = new Map<string, Memory>();
  const names = new Map((await project.containers()).map(({ id, service }) => [id, service]));
  const done = new AbortController();
  const watch = async () => {
    while (!done.signal.aborted) {
      for (const [id, now] of await readMemory(project, [...names.keys()])) {
        const service = names.get(id) ?? id;
        if (now.peakMiB > (peaks.get(service)?.peakMiB ?? 0)) peaks.set(service, now);
      }
      await sleep(250);
    }
  };
  await Promise.all([watch(), work().finally(() => done.abort())]);
  return peaks;
}

async function readMemory(project: ComposeProject, ids: string[]): Promise<[string, Memory][]> {
  const format = '{{.Container}} {{.MemUsage}}'; // "0f3a… 104.1MiB / 512MiB"
  const lines = await project.docker('stats', '--no-stream', '--format', format, ...ids);
  return lines.split('\n').map((line) => {
    const [id = '', used = '', , limit = ''] = line.split(' ');
    return [id, { peakMiB: mebibytes(used), limitMiB: mebibytes(limit) }];
  });
}

function mebibytes(text: string): number {
  const [, count, unit = ''] = /^([\d.]+)(\w+)$/.exec(text) ?? [];
  return Number(count) * (UNITS[unit] ?? Number.NaN);
}
