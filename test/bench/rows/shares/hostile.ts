import { PostalCodeStore } from '#shared/branches/postal-code-store.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { connectMongo } from '#shared/stores/mongo.ts';
import { ApiClient } from '../../load/api-client.ts';
import { floodAsCustomer } from '../../load/greedy-client.ts';
import { newGuide } from '../../load/guides.ts';
import { COLONIAS, COLONIAS_CODE } from '../../load/hostile-bodies.ts';
import { atRate } from '../../load/load.ts';
import { p99, spread } from '../../report/statistics.ts';
import type { Result, Run } from '../../run.ts';
import { databaseUri, withSystem } from '../../system/system.ts';

const PER_SECOND = 20;
const SECONDS = 8;

/** What somebody else sends, and over how many connections. */
const OTHERS = [
  { kind: 'bodies', connections: 1 },
  { kind: 'colonias', connections: 8 },
  { kind: 'quotes', connections: 2 },
  { kind: 'weighings', connections: 1 },
  { kind: 'simulations', connections: 4 },
] as const;

/** Creations of one guide by themselves, and while another account sends what costs the most. */
export async function hostile(run: Run): Promise<Result[]> {
  const mongoUri = databaseUri(run);
  await loadCatalogue(mongoUri, COLONIAS);
  try {
    return await withSystem(run, ({ addresses }) => measure(run, addresses.api), mongoUri);
  } finally {
    await loadCatalogue(mongoUri, []);
  }
}

async function measure(run: Run, url: string): Promise<Result[]> {
  const client = await ApiClient.login(url);
  const alone: number[][] = [];
  const stallsAlone: number[] = [];
  const besides = OTHERS.map((other) => ({
    ...other,
    latencies: [] as number[][],
    stalls: [] as number[],
    statuses: [] as string[],
  }));
  await creations(client, SECONDS);
  for (let round = 0; round < run.rounds; round++) {
    await longestStall(url);
    alone.push(await creations(client, SECONDS));
    stallsAlone.push(await longestStall(url));
    for (const { kind, connections, latencies, stalls, statuses } of besides) {
      run.say(`creations beside ${kind}…`);
      const other = await floodAsCustomer({ url, kind, connections, seconds: SECONDS + 1 });
      await creations(client, 1);
      await longestStall(url);
      latencies.push(await creations(client, SECONDS));
      stalls.push(await longestStall(url));
      statuses.push(JSON.stringify(await other.ended));
    }
  }
  await client.close();
  return [
    { id: 'create-alone-p99', rounds: p99(alone), note: spread(alone) },
    ...besides.flatMap(({ kind, latencies, stalls, statuses }) => [
      {
        id: `create-beside-${kind}-p99`,
        rounds: p99(latencies),
        note: `${spread(latencies)}; the other: ${statuses}`,
      },
      {
        id: `${kind}-stall`,
        rounds: stalls,
        note: `without them ${Math.max(...stallsAlone).toFixed(0)} ms at most`,
      },
    ]),
  ];
}

/** Replaces the catalogue by one of a single postal code; without colonias by none. */
async function loadCatalogue(mongoUri: string, colonias: string[]): Promise<void> {
  const mongo = await connectMongo(mongoUri, createLogger('bench', 'silent'));
  const store = new PostalCodeStore(mongo);
  const place = { Estado: 'Nuevo León', Municipio: 'Monterrey', Ciudad: 'Monterrey' };
  const code = { CodigoPostal: COLONIAS_CODE, ...place, Colonias: colonias };
  const last = (await store.newest())?._id ?? 0;
  if (colonias.length > 0) await store.replace(last, [code], 'bench');
  else await store.withdraw(last, 'bench');
  await mongo.close();
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
