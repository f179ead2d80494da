import { ApiClient } from '../load/api-client.ts';
import { untilStopped } from '../load/load.ts';
import { p99, ratios, spread } from '../report/statistics.ts';
import type { Result, Run } from '../run.ts';
import { withSystem } from '../system/system.ts';

const CONCURRENCY = 2;

/** Files of 100 and of 500 letters that nobody has asked for yet, and single labels beside another account's files. */
export async function files(run: Run): Promise<Result[]> {
  return withSystem(run, async ({ api, addresses }) => {
    run.say('files of many labels…');
    await api.warmUp(run.count(1_000));
    const seconds = { small: [] as number[], large: [] as number[] };
    const alone: number[][] = [];
    const beside: number[][] = [];
    const other = await ApiClient.login(addresses.api, 'otro');
    for (let round = 0; round < run.rounds; round++) {
      seconds.small.push(await timed(api, await api.newGuides(100)));
      seconds.large.push(await timed(api, await api.newGuides(500)));
      alone.push(await api.newLabels(run.count(300), CONCURRENCY));
      const greedy = untilStopped(async () => other.labelFile(await other.newGuides(500)));
      beside.push(await api.newLabels(run.count(300), CONCURRENCY));
      await greedy.stop();
    }
    await other.close();
    return [
      { id: 'file-100', rounds: seconds.small },
      { id: 'file-500', rounds: seconds.large },
      { id: 'file-alone-p99', rounds: p99(alone), note: `${CONCURRENCY} concurrent; ${spread(alone)}` },
      { id: 'file-beside-p99', rounds: p99(beside), note: spread(beside) },
      { id: 'file-beside-ratio', rounds: ratios(p99(beside), p99(alone)) },
    ];
  });
}

async function timed(api: ApiClient, guides: readonly string[]): Promise<number> {
  const began = performance.now();
  await api.labelFile(guides);
  return (performance.now() - began) / 1_000;
}
