import type { ApiClient } from '../load/api-client.ts';
import { newGuide } from '../load/guides.ts';
import { inParallel } from '../load/load.ts';
import { loadGuides } from '../load/load-guides.ts';
import { median, percentile, ratios } from '../report/statistics.ts';
import type { Result, Run } from '../run.ts';
import { databaseUri, withSystem } from '../system/system.ts';
import { listPages } from './list.ts';

/** What a full database costs: pages of its list, and two systems on one server, asked in turns. */
export async function stored(run: Run): Promise<Result[]> {
  const full = databaseUri(run, 'bench-full');
  run.say(`storing ${run.guides} guides…`);
  await loadGuides(full, run.guides, run.say);
  return withSystem(
    run,
    (empty) =>
      withSystem(
        run,
        async (filled) => [
          ...(await listPages(run, filled.api)),
          ...(await inTurns(run, empty.api, filled.api)),
        ],
        full,
      ),
    databaseUri(run, 'bench-empty'),
  );
}

async function inTurns(run: Run, empty: ApiClient, full: ApiClient): Promise<Result[]> {
  const creation = { empty: [] as number[], full: [] as number[] };
  const label = { empty: [] as number[], full: [] as number[] };
  await measure(run, empty);
  await measure(run, full);
  for (let round = 0; round < run.rounds; round++) {
    run.say(`a full database: round ${round + 1}`);
    for (const [name, api] of [
      ['empty', empty],
      ['full', full],
    ] as const) {
      const p50 = await measure(run, api);
      creation[name].push(p50.creation);
      label[name].push(p50.label);
    }
  }
  const note = ({ empty, full }: typeof label) =>
    `${run.guides} guides: ${median(full).toFixed(2)} ms; none: ${median(empty).toFixed(2)} ms`;
  return [
    { id: 'stored-create', rounds: ratios(creation.full, creation.empty), note: note(creation) },
    { id: 'stored-label', rounds: ratios(label.full, label.empty), note: note(label) },
  ];
}

/** @returns medians in ms, one client alone. */
async function measure(run: Run, api: ApiClient): Promise<{ creation: number; label: number }> {
  const numbers: string[] = [];
  const guides = Array.from({ length: run.count(500) }, newGuide);
  const creation = await inParallel(guides, 1, async (guide) => numbers.push(...(await api.create([guide]))));
  const label = await inParallel(numbers.slice(0, run.count(250)), 1, (number) => api.label(number));
  return { creation: percentile(creation.latencies, 0.5), label: percentile(label.latencies, 0.5) };
}
