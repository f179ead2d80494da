import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoRoot } from '#local/folders.ts';
import { fleetTable, withCapacity } from './tables.ts';

const HELP = `Usage: npm run capacity [-- <labels a second>…]

Computes what a fleet needs for so many labels a second at peak, from test/bench/capacity/inputs.json. Without
rates it writes the tables of docs/performance.md.
`;

const PAGE = join(repoRoot, 'docs', 'performance.md');

const rates = process.argv.slice(2);
if (!rates.every((rate) => Number(rate) > 0)) {
  process.stderr.write(HELP);
  process.exitCode = 1;
} else if (rates.length > 0) process.stdout.write(`${fleetTable(rates.map(Number))}\n`);
else writeFileSync(PAGE, withCapacity(readFileSync(PAGE, 'utf8')));
