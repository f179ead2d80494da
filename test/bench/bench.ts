import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { repoRoot } from '#local/folders.ts';
import { stopAllProcesses } from '#local/process/owned-process.ts';
import { SetupError } from '#local/setup-error.ts';
import { untilPipeBreaks } from '#shared/commands/broken-pipe.ts';
import { provideTestServers } from '#test/fixtures/test-servers.ts';
import { chart } from './report/chart.ts';
import {
  captionOf,
  markdownTable,
  notesOf,
  type Report,
  short,
  toRows,
  withFigures,
  withTables,
} from './report/report.ts';
import { create } from './rows/create.ts';
import { files } from './rows/files.ts';
import { fullLoad } from './rows/full-load.ts';
import { labels } from './rows/labels.ts';
import { oneAtATime } from './rows/one-at-a-time.ts';
import { customers } from './rows/shares/customers.ts';
import { hostile } from './rows/shares/hostile.ts';
import { start } from './rows/start.ts';
import { stored } from './rows/stored.ts';
import { underLoad } from './rows/under-load.ts';
import { webhooks } from './rows/webhooks.ts';
import { workers } from './rows/workers.ts';
import type { Result, Rows, Run } from './run.ts';
import { simulateCells } from './simulate/simulate.ts';
import { describeMachine } from './system/machine.ts';

const GROUPS: Record<string, Rows> = {
  labels,
  one: oneAtATime,
  create,
  stored,
  worker: fullLoad,
  start,
  load: underLoad,
  customers,
  files,
  hostile,
  webhooks,
  workers,
};

/** The page that has the figures; every other page links to it. */
const PAGE = join(repoRoot, 'docs', 'performance.md');

const RESULTS = join(import.meta.dirname, 'results');
const LATEST = join(RESULTS, 'latest.json');

const HELP = `Usage: npm run bench [-- --quick] [--only <groups>] [--guides <count>] [--simulate]

Measures this service and its peers on this machine, through the real processes, and shows a table. A full run
takes about half an hour and writes test/bench/results/ and the figures of docs/performance.md; a quick run
or a part only shows its table.

  --only <groups>   some of: ${Object.keys(GROUPS).join(', ')}
  --quick           fewer and shorter rounds, to try it
  --guides <count>  guides in the full database; 1000000 where it is not given
  --simulate        measures nothing: computes from the last whole run what several cells do, in a
                    minute or two, and writes it to docs/performance.md
`;

process.exitCode = await untilPipeBreaks(bench);

/** @returns the exit code: 1 when something could not be measured, whatever the figures are. */
async function bench(): Promise<number> {
  try {
    const options = parseOptions();
    if (options.help) process.stdout.write(HELP);
    else if (options.simulate) await simulate();
    else await measure(options);
    return 0;
  } catch (error) {
    process.stderr.write(`${error instanceof SetupError ? error.message : (error as Error).stack}\n`);
    return 1;
  } finally {
    await stopAllProcesses();
  }
}

type Options = { help: boolean; quick: boolean; simulate: boolean; groups: string[]; guides: number };

function parseOptions(): Options {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      simulate: { type: 'boolean', default: false },
      only: { type: 'string', default: Object.keys(GROUPS).join() },
      guides: { type: 'string' },
    },
  });
  const { help, quick, simulate, only, guides = quick ? '20000' : '1000000' } = values;
  const groups = only.split(',');
  const unknown = groups.find((name) => !GROUPS[name]);
  if (unknown !== undefined) throw new SetupError(`No group "${unknown}": see npm run bench -- --help.`);
  if (!/^[1-9][0-9]{0,7}$/.test(guides)) throw new SetupError('--guides must be a number, such as 1000000.');
  return { help, quick, simulate, groups, guides: Number(guides) };
}

async function measure({ quick, groups, guides }: Options): Promise<void> {
  const started = performance.now();
  const say = (line: string) => {
    process.stdout.write(`${((performance.now() - started) / 1_000).toFixed(0).padStart(5)} s  ${line}\n`);
  };
  const servers = await provideTestServers(say);
  try {
    const count = (usual: number) => (quick ? Math.ceil(usual / 5) : usual);
    const run: Run = { servers, say, rounds: quick ? 2 : 5, guides, count };
    const { results, failed } = await measureGroups(run, groups);
    const rows = toRows(results);
    process.stdout.write(`\n${markdownTable(rows)}\n\n${notesOf(rows)}\n`);
    if (failed.length > 0) throw new SetupError(`\nNot measured: ${failed.join(', ')} (see above).`);
    const whole = Object.keys(GROUPS).every((name) => groups.includes(name));
    if (whole && !quick) {
      const date = new Date().toISOString().slice(0, 10);
      await write({ date, machine: await describeMachine(servers), guidesStored: guides, rows });
    }
  } finally {
    await servers.close();
  }
}

async function simulate(): Promise<void> {
  const report: Report = JSON.parse(readFileSync(LATEST, 'utf8'));
  const tables = await simulateCells(report, (line) => process.stdout.write(`${line}\n`));
  process.stdout.write(`\n${tables}\n`);
  writeFileSync(PAGE, withTables(readFileSync(PAGE, 'utf8'), 'simulation', tables));
}

/** One group that fails must not cost the minutes that the others took. */
async function measureGroups(run: Run, groups: string[]): Promise<{ results: Result[]; failed: string[] }> {
  const results: Result[] = [];
  const failed: string[] = [];
  for (const [name, rows] of Object.entries(GROUPS)) {
    if (!groups.includes(name)) continue;
    try {
      const measured = await rows(run);
      for (const { what, value, unit } of toRows(measured)) run.say(`  ${what}: ${short(value)} ${unit}`);
      results.push(...measured);
    } catch (error) {
      run.say(`${name} failed: ${(error as Error).stack}`);
      failed.push(name);
    }
  }
  return { results, failed };
}

async function write(report: Report): Promise<void> {
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(LATEST, `${JSON.stringify(report, null, 2)}\n`);
  writeFileSync(join(RESULTS, 'labels-per-second.svg'), chart(report.rows, captionOf(report)));
  writeFileSync(PAGE, withFigures(readFileSync(PAGE, 'utf8'), report));
}
