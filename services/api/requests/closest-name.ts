/** Longest compared name: the time grows with the square of the length. */
const MAX_LENGTH = 40;

/**
 * Returns the one of `known` that a misspelt name most likely means, or undefined. Case does not matter, and of every four
 * characters one may be missing, added, another one or swapped with the next.
 */
export function closestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  let closest: string | undefined;
  let least = Math.floor(name.length / 4) + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= least) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase(), least);
    if (distance < least) [closest, least] = [candidate, distance];
  }
  return closest;
}

/**
 * Returns the optimal string alignment distance, or `limit` as soon as it cannot be less. `table[row][column]` is the
 * distance of the first `row` characters of `a` to the first `column` of `b`.
 */
function editDistance(a: string, b: string, limit: number): number {
  const table = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => table[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    table.push(current);
    for (let column = 1; column <= b.length; column++) {
      const replaced = at(row - 1, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swapped = isSwapped ? at(row - 2, column - 2) + 1 : replaced;
      current.push(Math.min(replaced, swapped, at(row, column - 1) + 1, at(row - 1, column) + 1));
    }
    // A swap follows from the row before the last.
    if (Math.min(...current, ...(table[row - 1] ?? [])) >= limit) return limit;
  }
  return at(a.length, b.length);
}
