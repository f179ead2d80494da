import { ApiClient } from '../../load/api-client.ts';
import { floodAsCustomer } from '../../load/greedy-client.ts';
import { newGuide } from '../../load/guides.ts';
import { atRate } from '../../load/load.ts';
import { p99, spread } from '../../report/statistics.ts';
import type { Result, Run } from '../../run.ts';
import { withSystem } from '../../system/system.ts';

const PER_SECOND = 20;
/** Time for the other's program to start and to log in, in seconds. */
const START_S = 2;

/** Creations of one guide by themselves, and while another account sends hostile bodies, one after the other. */
export async function hostile(run: Run): Promise<Result[]> {
  return withSystem(run, async ({ addresses: { api: url } }) => {
    const client = await ApiClient.login(url);
    const seconds = run.count(30);
    run.say(`creations beside hostile bodies, for ${run.rounds} times ${seconds} s…`);
    await creations(client, seconds);
    const alone: number[][] = [];
    const beside: number[][] = [];
    const stalls: number[] = [];
    const others: string[] = [];
    const stallsAlone: number[] = [];
    for (let round = 0; round < run.rounds; round++) {
      await longestStall(url);
      alone.push(await creations(client, seconds));
      stallsAlone.push(await longestStall(url));
      const other = floodAsCustomer({ url, kind: 'bodies', connections: 1, seconds: seconds + START_S });
      await creations(client, START_S);
      await longestStall(url);
      beside.push(await creations(client, seconds - 1));
      stalls.push(await longestStall(url));
      others.push(JSON.stringify(await other));
    }
    await client.close();
    return [
      { id: 'create-alone-p99', rounds: p99(alone), note: spread(alone) },
      {
        id: 'create-beside-bodies-p99',
        rounds: p99(beside),
        note: `${spread(beside)}; the other: ${others}`,
      },
      {
        id: 'bodies-stall',
        rounds: stalls,
        note: `without them ${Math.max(...stallsAlone).toFixed(0)} ms at most`,
      },
    ];
  });
}

/** @returns how long each took, in ms. */
async function creations(client: ApiClient, seconds: number): Promise<number[]> {
  const slots = Array.from({ length: PER_SECOND * seconds }, newGuide);
  return (await atRate(slots, PER_SECOND, (guide) => client.create([guide]))).latencies;
}

/** @returns how long the api's event loop was held up at most since this was last asked, in ms. */
async function longestStall(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return 1_000 * Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(metrics)?.[1]);
}
