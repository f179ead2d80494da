import { Client } from '#test/fixtures/client.ts';
import { ApiClient } from '../load/api-client.ts';
import { inParallel } from '../load/load.ts';
import { percentile } from '../report/statistics.ts';
import type { Result, Run } from '../run.ts';
import { withSystem } from '../system/system.ts';

const CONCURRENCY = 2;

/** Files of 100 and of 500 letters that nobody has asked for yet, and single labels beside another account's files. */
export async function files(run: Run): Promise<Result[]> {
  return withSystem(run, async ({ api, addresses }) => {
    run.say('files of many labels…');
    await api.warmUp(run.count(1_000));
    const seconds = { small: [] as number[], large: [] as number[], again: [] as number[] };
    const alone: number[][] = [];
    const beside: number[][] = [];
    const other = new ApiClient(addresses.api, (await Client.login(addresses.api, 'otro')).token);
    for (let round = 0; round < run.rounds; round++) {
      seconds.small.push(await timed(api, await api.newGuides(100)));
      const guides = await api.newGuides(500);
      seconds.large.push(await timed(api, guides));
      seconds.again.push(await timed(api, guides));
      alone.push(await singles(api, run.count(300)));
      const greedy = await filesUntilStopped(other);
      beside.push(await singles(api, run.count(300)));
      await greedy.stop();
    }
    await other.close();
    const p99 = (rounds: number[][]) => rounds.map((latencies) => percentile(latencies, 0.99));
    const ratios = p99(beside).map((value, round) => value / (p99(alone)[round] ?? Number.NaN));
    return [
      { id: 'file-100', rounds: seconds.small },
      { id: 'file-500', rounds: seconds.large },
      { id: 'file-500-again', rounds: seconds.again },
      { id: 'file-alone-p99', rounds: p99(alone), note: `${CONCURRENCY} concurrent; ${median(alone)}` },
      { id: 'file-beside-p99', rounds: p99(beside), note: median(beside) },
      { id: 'file-beside-ratio', rounds: ratios },
    ];
  });
}

async function timed(api: ApiClient, guides: readonly string[]): Promise<number> {
  const began = performance.now();
  await api.labelFile(guides);
  return (performance.now() - began) / 1_000;
}

async function singles(api: ApiClient, count: number): Promise<number[]> {
  const guides = await api.newGuides(count);
  return (await inParallel(guides, CONCURRENCY, (guide) => api.label(guide))).latencies;
}

/** One file of 500 new guides after the other until `stop`. */
async function filesUntilStopped(api: ApiClient): Promise<{ stop(): Promise<void> }> {
  const first = await api.newGuides(500);
  let stopped = false;
  const asking = (async () => {
    for (let guides = first; !stopped; guides = await api.newGuides(500)) await api.labelFile(guides);
  })();
  const stop = () => {
    stopped = true;
    return asking;
  };
  return { stop };
}

function median(rounds: number[][]): string {
  return `p50 ${percentile(rounds.flat(), 0.5).toFixed(0)} ms`;
}
