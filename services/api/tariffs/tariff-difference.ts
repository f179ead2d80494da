import { formatPesos } from './amounts.ts';
import type { Tariff } from './tariff.ts';

/** A price of both tariffs, in centavos. */
type Change = { name: string; before: number; after: number };

/** Most changes that are named. */
const MAX_NAMED = 5;

/** Says which prices a tariff changes against the one before it, for the operator: how many rise and fall, and by how much. */
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
    `Precios nuevos: ${added}, que ya no estan: ${former.size}`,
    describeChanges('Suben', rises),
    describeChanges('Bajan', falls),
  ].join('\n');
}

/** Returns the price of each break by the cells that name it. */
function pricesOf({ prices }: Tariff): Map<string, number> {
  const named = [...prices.values()].flatMap(({ list, service, type, zone, breaks }) =>
    breaks.map(({ upToGrams, price }) => {
      const cells = [list, service, ...(type ? [type] : []), `zona ${zone}`, `${upToGrams / 1_000} kg`];
      return [cells.join(', '), price] as const;
    }),
  );
  return new Map(named);
}

function describeChanges(what: string, changes: readonly Change[]): string {
  if (changes.length === 0) return `${what}: 0`;
  const share = ({ before, after }: Change) => (100 * (after - before)) / before;
  const sorted = changes.toSorted((one, other) => Math.abs(share(other)) - Math.abs(share(one)));
  const average = changes.reduce((sum, change) => sum + share(change), 0) / changes.length;
  const lines = sorted.slice(0, MAX_NAMED).map((change) => {
    const { name, before, after } = change;
    return `  ${name}: ${formatPesos(before)} -> ${formatPesos(after)} (${signed(share(change))})`;
  });
  const rest = changes.length - lines.length;
  return [
    `${what}: ${changes.length}, en promedio ${signed(average)}`,
    ...lines,
    ...(rest > 0 ? [`  y ${rest} mas`] : []),
  ].join('\n');
}

function signed(percent: number): string {
  return `${percent > 0 ? '+' : ''}${percent.toFixed(1)} %`;
}
