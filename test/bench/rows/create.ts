import { join } from 'node:path';
import { freePort } from '#local/process/free-port.ts';
import { startProcess } from '#local/process/owned-process.ts';
import { waitUntilReady } from '#local/process/wait-until-ready.ts';
import { ApiClient } from '../load/api-client.ts';
import { loadCoverage, newGuideByPostalCode } from '../load/coverage.ts';
import { inParallel } from '../load/load.ts';
import { type Costs, costResult, withCosts } from '../report/costs.ts';
import { median, percentile, ratios } from '../report/statistics.ts';
import type { Result, Run } from '../run.ts';
import { type BenchSystem, databaseUri, withSystem } from '../system/system.ts';

const CONCURRENCY = 16;
/** Guides of a round. */
const GUIDES = 2_000;

/**
 * Guides to ten thousand postal codes, one a request in turns with a bare server on the same database, and with a client
 * that sends a key, and with quotes; then 500 in one request.
 */
export async function create(run: Run): Promise<Result[]> {
  const database = databaseUri(run, 'bench-create');
  const measure = async ({ api, addresses }: BenchSystem) => {
    await loadCoverage(database);
    run.say('creating guides…');
    const bare = await startBareServer(run, database);
    const byKey = await ApiClient.byKey(addresses.api);
    try {
      const oneEach = (client: ApiClient) =>
        inParallel(guides(run.count(GUIDES)), CONCURRENCY, (guide) => client.create([guide]));
      await oneEach(api);
      await oneEach(bare.client);
      const ours: number[] = [];
      const keyed: number[] = [];
      const quoted: number[] = [];
      const theirs: number[] = [];
      const many: number[] = [];
      const costs: Costs[] = [];
      for (let round = 0; round < run.rounds; round++) {
        // In turns, since what follows the many at once is slower.
        const byToken = async () => {
          const load = await withCosts(run.servers.redisUrl, run.count(GUIDES), () => oneEach(api));
          ours.push(load.perSecond);
          costs.push(load.costs);
        };
        const withKey = async () => keyed.push((await oneEach(byKey)).perSecond);
        const withQuotes = async () => {
          const sent = await api.quote(guides(run.count(GUIDES)));
          const load = await inParallel(sent, CONCURRENCY, (guide) => api.create([guide]));
          quoted.push(load.perSecond);
        };
        const turns = [byToken, withKey, withQuotes];
        for (const measureOne of round % 2 === 0 ? turns : turns.toReversed()) await measureOne();
        theirs.push((await oneEach(bare.client)).perSecond);
        many.push(percentile((await inFiveHundreds(api, run.count(10))).latencies, 0.5));
      }
      const note = `ours ${median(ours).toFixed(0)}/s, bare ${median(theirs).toFixed(0)}/s`;
      return [
        { id: 'create-against-bare', rounds: ratios(ours, theirs), note },
        { id: 'create-by-key', rounds: ratios(keyed, ours) },
        { id: 'create-with-quote', rounds: ratios(quoted, ours) },
        { id: 'create-500', rounds: many },
        costResult('cost-create', costs),
      ];
    } finally {
      await byKey.close();
      await bare.stop();
    }
  };
  return withSystem(run, measure, database);
}

function inFiveHundreds(api: ApiClient, requests: number) {
  return inParallel(
    Array.from({ length: requests }, () => guides(500)),
    1,
    (many) => api.create(many),
  );
}

function guides(count: number) {
  return Array.from({ length: count }, newGuideByPostalCode);
}

async function startBareServer(
  run: Run,
  mongoUri: string,
): Promise<{ client: ApiClient; stop(): Promise<void> }> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = startProcess({
    name: 'the bare server',
    command: [process.execPath, join(import.meta.dirname, '..', 'system', 'bare-insert-server.ts')],
    env: { ...process.env, MONGODB_URI: mongoUri, PORT: String(port) },
    logFile: join(run.servers.folder, 'bare-server.log'),
  });
  const client = new ApiClient(url, '');
  await waitUntilReady(server, async () => (await fetch(url)).status === 404, 10_000);
  const stop = async () => {
    await client.close();
    await server.stop();
  };
  return { client, stop };
}
