import { inParallel } from '../load/load.ts';
import { startPrinter } from '../printers/start-printer.ts';
import { p99, percentile, ratios } from '../report/statistics.ts';
import type { Result, Run } from '../run.ts';
import { withSystem } from '../system/system.ts';

const PACKAGES = 99;

/**
 * What one client alone waits for: a new label, the same label again, and a small label of 99 packages. The new labels
 * take turns with a bare Chromium that prints one label after the other.
 */
export async function oneAtATime(run: Run): Promise<Result[]> {
  const floor = startPrinter('floor', run.servers.chromiumPath);
  try {
    return await withSystem(run, async ({ api }) => {
      run.say('one label at a time…');
      await api.warmUp(run.count(1_000));
      await floor.printAlone(run.count(1_000));
      const alone = async (guides: string[], send: (guide: string) => Promise<void>) =>
        (await inParallel(guides, 1, send)).latencies;
      const rounds = { new: [], print: [], again: [], small: [] } as Record<
        'new' | 'print' | 'again' | 'small',
        number[][]
      >;
      await alone(await api.newGuides(5), (guide) => api.smallLabel(guide, PACKAGES));
      for (let round = 0; round < run.rounds; round++) {
        const guides = await api.newGuides(run.count(500));
        rounds.new.push(await alone(guides, (guide) => api.label(guide)));
        rounds.print.push(await floor.printAlone(run.count(500)));
        rounds.again.push(await alone(guides, (guide) => api.label(guide)));
        const few = await api.newGuides(run.count(20));
        rounds.small.push(await alone(few, (guide) => api.smallLabel(guide, PACKAGES)));
      }
      const p50 = (name: keyof typeof rounds) => rounds[name].map((latencies) => percentile(latencies, 0.5));
      return [
        { id: 'one-label-p50', rounds: p50('new') },
        { id: 'one-label-p99', rounds: p99(rounds.new) },
        { id: 'one-print-p50', rounds: p50('print') },
        { id: 'one-print-p99', rounds: p99(rounds.print) },
        { id: 'one-label-against-print-p50', rounds: ratios(p50('new'), p50('print')) },
        { id: 'one-label-against-print-p99', rounds: ratios(p99(rounds.new), p99(rounds.print)) },
        { id: 'same-label-p50', rounds: p50('again') },
        { id: 'small-label-99', rounds: p50('small') },
      ];
    });
  } finally {
    await floor.stop();
  }
}
