import { inParallel, type Load } from '../load/load.ts';
import { installPeers, versionOf } from '../printers/peers.ts';
import { startPrinter } from '../printers/start-printer.ts';
import { type Costs, costResult, withCosts } from '../report/costs.ts';
import { percentile, ratios } from '../report/statistics.ts';
import type { Result, Run } from '../run.ts';
import { type BenchSystem, withSystem } from '../system/system.ts';

/** The printers beside us: how many labels make a round of some seconds, and how each is set. */
const PRINTERS = {
  floor: { labels: 2_000, settings: () => 'two contexts, raw CDP, batches of 25, no split' },
  jsreport: {
    labels: 50,
    settings: () =>
      `jsreport-core ${versionOf('@jsreport/jsreport-core')}, chrome-pdf ${versionOf('@jsreport/jsreport-chrome-pdf')}, chrome-pool, 2 workers, engine none, untagged, 4 concurrent`,
  },
  'puppeteer-cluster': {
    labels: 80,
    settings: () => `${versionOf('puppeteer-cluster')}, CONCURRENCY_PAGE × 2, setContent + pdf untagged`,
  },
} as const;
type PrinterName = keyof typeof PRINTERS;
const NAMES = Object.keys(PRINTERS) as PrinterName[];

const CONCURRENCY = 64;

/** Distinct labels the whole way at 64 concurrent, in turns with each of the other printers. */
export async function labels(run: Run): Promise<Result[]> {
  installPeers(run.say);
  const printers = NAMES.map((name) => ({ name, ...startPrinter(name, run.servers.chromiumPath) }));
  try {
    return await withSystem(run, async (system) => {
      run.say('labels: warming up…');
      await system.api.warmUp(run.count(2_000));
      for (const { name, print } of printers) await print(run.count(PRINTERS[name].labels / 2));
      const ours: Round[] = [];
      const theirs: Record<string, number[]> = {};
      for (let round = 1; round <= run.rounds; round++) {
        ours.push(await wholeWay(run, system, run.count(3_000)));
        for (const { name, print } of printers) {
          theirs[name] ??= [];
          theirs[name].push(await print(run.count(PRINTERS[name].labels)));
        }
        const line = NAMES.map((name) => `${name} ${theirs[name]?.at(-1)?.toFixed(1)}`).join(', ');
        run.say(`labels: round ${round}: ours ${ours.at(-1)?.perSecond.toFixed(1)}, ${line} labels/s`);
      }
      return results(ours, theirs);
    });
  } finally {
    await Promise.all(printers.map((printer) => printer.stop()));
  }
}

type Round = Load & { costs: Costs };

async function wholeWay({ servers }: Run, { api }: BenchSystem, count: number): Promise<Round> {
  const guides = await api.newGuides(count);
  return withCosts(servers.redisUrl, count, () =>
    inParallel(guides, CONCURRENCY, (guide) => api.label(guide)),
  );
}

function results(ours: Round[], theirs: Record<string, number[]>): Result[] {
  const perSecond = ours.map((round) => round.perSecond);
  const latencies = ours.flatMap((round) => round.latencies);
  const refused = ours.reduce((sum, { refusals }) => sum + refusals.length, 0);
  const latency = `${refused} refused, p50 ${percentile(latencies, 0.5).toFixed(0)} ms, p99 ${percentile(latencies, 0.99).toFixed(0)} ms`;
  const against = (name: PrinterName) => ratios(perSecond, theirs[name] ?? []);
  return [
    { id: 'labels', rounds: perSecond, note: latency },
    costResult(
      'cost-label',
      ours.map(({ costs }) => costs),
    ),
    { id: 'labels-against-jsreport', rounds: against('jsreport') },
    { id: 'labels-against-puppeteer-cluster', rounds: against('puppeteer-cluster') },
    { id: 'labels-against-floor', rounds: against('floor') },
    ...NAMES.map((name) => ({
      id: `printer-${name}`,
      rounds: theirs[name] ?? [],
      note: PRINTERS[name].settings(),
    })),
  ];
}
