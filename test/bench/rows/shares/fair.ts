import { untilStopped } from '../../load/load.ts';
import { p99, spread } from '../../report/statistics.ts';
import type { Result, Run } from '../../run.ts';
import { withSystem } from '../../system/system.ts';

const CONCURRENCY = 2;
const PACKAGES = 99;

/** Single labels by themselves, and while somebody asks for one label of 99 packages after the other. */
export async function fair(run: Run): Promise<Result[]> {
  return withSystem(run, async ({ api }) => {
    run.say('single labels beside labels of 99 packages…');
    await api.warmUp(run.count(1_000));
    const alone: number[][] = [];
    const beside: number[][] = [];
    const large: number[][] = [];
    for (let round = 0; round < run.rounds; round++) {
      alone.push(await api.newLabels(run.count(300), CONCURRENCY));
      const guides = await api.newGuides(500);
      const others = untilStopped(() => api.smallLabel(guides.pop() ?? '', PACKAGES));
      beside.push(await api.newLabels(run.count(300), CONCURRENCY));
      large.push(await others.stop());
    }
    return [
      { id: 'fair-alone-p99', rounds: p99(alone), note: `${CONCURRENCY} concurrent; ${spread(alone)}` },
      { id: 'fair-p99', rounds: p99(beside), note: `${spread(beside)}; the large ones: ${spread(large)}` },
    ];
  });
}
