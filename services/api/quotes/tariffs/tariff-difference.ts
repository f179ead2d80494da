import { LineReport, parseRows } from '#shared/commands/csv.ts';
import { formatPesos } from '../../platform/amounts.ts';
import { priceName, type Tariff } from './tariff.ts';
import { leastRowsOf, TARIFF_COLUMNS, type TariffFile, type TariffFolder } from './tariff-files.ts';

/** A price of both tariffs, in centavos. */
type Change = { name: string; before: number; after: number };

/** Most changes of a kind that are named. */
const MAX_NAMED = 5;

/** Says which rows of `precios.csv` a tariff changes against the one before it: how many rise and fall, and by how much. */
export function describeDifference(before: Tariff, after: Tariff): string {
  const former = pricesOf(before);
  const changes: Change[] = [];
  let added = 0;
  for (const [name, price] of pricesOf(after)) {
    const old = former.get(name);
    if (old === undefined) added++;
    else if (old !== price) changes.push({ name, before: old, after: price });
    former.delete(name);
  }
  const rises = changes.filter((change) => change.after > change.before);
  const falls = changes.filter((change) => change.after < change.before);
  return [
    `precios.csv: precios nuevos: ${added}, que ya no estan: ${former.size}`,
    describeChanges('  suben', rises),
    describeChanges('  bajan', falls),
  ].join('\n');
}

/**
 * Says which rows of a file a folder changes against the one before it. A file replaces the whole file before it, so a
 * row that somebody left out shows here.
 */
export function describeRows(file: TariffFile, before: TariffFolder, after: TariffFolder): string {
  const [former, rows] = [rowsOf(file, before), rowsOf(file, after)];
  const added = [...rows].filter((row) => !former.has(row)).map((row) => `  + ${row}`);
  const gone = [...former].filter((row) => !rows.has(row)).map((row) => `  - ${row}`);
  return [
    `${file}: filas nuevas: ${added.length}, que ya no estan: ${gone.length}`,
    ...named(added),
    ...named(gone),
  ].join('\n');
}

/** Returns the rows of a file, with the cells in the documented order. */
function rowsOf(file: TariffFile, folder: TariffFolder): Set<string> {
  const content = folder.get(file)?.toString('utf8');
  if (content === undefined) return new Set();
  const columns: readonly string[] = TARIFF_COLUMNS[file];
  const rows = parseRows(content, columns, new LineReport(), columns, leastRowsOf(file));
  return new Set([...rows].map(({ cells }) => Object.values(cells).join(',')));
}

function named(lines: readonly string[]): string[] {
  const rest = lines.length - MAX_NAMED;
  return [...lines.slice(0, MAX_NAMED), ...(rest > 0 ? [`  y ${rest} mas`] : [])];
}

/** Returns the price of each break by the cells that name it. */
function pricesOf({ prices }: Tariff): Map<string, number> {
  const named = [...prices.values()].flatMap((row) =>
    row.breaks.map(({ upToGrams, price }) => [priceName(row, upToGrams), price] as const),
  );
  return new Map(named);
}

function describeChanges(what: string, changes: readonly Change[]): string {
  if (changes.length === 0) return `${what}: 0`;
  const share = ({ before, after }: Change) => (100 * (after - before)) / before;
  const sorted = changes.toSorted((one, other) => Math.abs(share(other)) - Math.abs(share(one)));
  const average = changes.reduce((sum, change) => sum + share(change), 0) / changes.length;
  const lines = sorted.map((change) => {
    const { name, before, after } = change;
    return `    ${name}: ${formatPesos(before)} -> ${formatPesos(after)} (${signed(share(change))})`;
  });
  return [`${what}: ${changes.length}, en promedio ${signed(average)}`, ...named(lines)].join('\n');
}

function signed(percent: number): string {
  return `${percent > 0 ? '+' : ''}${percent.toFixed(1)} %`;
}
