import { inParallel } from '../load/load.ts';
import { percentile } from '../report/statistics.ts';
import type { Result, Run } from '../run.ts';
import { withSystem } from '../system/system.ts';

const PACKAGES = 99;

/** What one client alone waits for: a new label, the same label again, and a small label of 99 packages. */
export async function oneAtATime(run: Run): Promise<Result[]> {
  return withSystem(run, async ({ api }) => {
    run.say('one label at a time…');
    await api.warmUp(run.count(1_000));
    const alone = (guides: string[], send: (guide: string) => Promise<void>) => inParallel(guides, 1, send);
    const rounds = { new: [], again: [], small: [] } as Record<'new' | 'again' | 'small', number[][]>;
    await alone(await api.newGuides(5), (guide) => api.smallLabel(guide, PACKAGES));
    for (let round = 0; round < run.rounds; round++) {
      const guides = await api.newGuides(run.count(500));
      rounds.new.push((await alone(guides, (guide) => api.label(guide))).latencies);
      rounds.again.push((await alone(guides, (guide) => api.label(guide))).latencies);
      const few = await api.newGuides(run.count(20));
      rounds.small.push((await alone(few, (guide) => api.smallLabel(guide, PACKAGES))).latencies);
    }
    const of = (name: keyof typeof rounds, share: number) =>
      rounds[name].map((latencies) => percentile(latencies, share));
    return [
      { id: 'one-label-p50', rounds: of('new', 0.5) },
      { id: 'one-label-p99', rounds: of('new', 0.99) },
      { id: 'same-label-p50', rounds: of('again', 0.5) },
      { id: 'small-label-99', rounds: of('small', 0.5) },
    ];
  });
}
