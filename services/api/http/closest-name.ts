/** Longest compared name: the time grows with the square of the length. */
const MAX_LENGTH = 40;
/** Into how many kinds characters are sorted, by their last bits: letters that differ are mostly of other kinds. */
const KINDS = 32;

/**
 * Returns the one of `known` that a misspelt name most likely means, or undefined. Case does not matter, and of every four
 * characters one may be missing, added, another one or swapped with the next.
 */
export function closestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const sought = name.toLowerCase();
  const counts = countKinds(sought);
  let closest: string | undefined;
  let least = Math.floor(name.length / 4) + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= least) continue;
    const text = candidate.toLowerCase();
    if (leastDistance(counts, text) >= least) continue;
    const distance = editDistance(sought, text, least);
    if (distance < least) [closest, least] = [candidate, distance];
  }
  return closest;
}

function countKinds(text: string): Int8Array {
  const counts = new Int8Array(KINDS);
  for (let i = 0; i < text.length; i++) add(counts, text, i, 1);
  return counts;
}

/** How many more of each kind the sought name has. */
const surplus = new Int8Array(KINDS);

/** Returns a distance below which no text is, by how many characters of each kind it has. It is computed far sooner. */
function leastDistance(counts: Int8Array, text: string): number {
  surplus.set(counts);
  for (let i = 0; i < text.length; i++) add(surplus, text, i, -1);
  let [more, less] = [0, 0];
  for (const count of surplus) {
    if (count > 0) more += count;
    else less -= count;
  }
  return Math.max(more, less);
}

function add(counts: Int8Array, text: string, at: number, count: number): void {
  const kind = text.charCodeAt(at) % KINDS;
  counts[kind] = (counts[kind] ?? 0) + count;
}

/** The last three rows of the table of `editDistance`; a lower-case letter may be longer than its capital. */
let [beforeLast, last, current] = Array.from({ length: 3 }, () => new Uint8Array(4 * MAX_LENGTH)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
];

/**
 * Returns the optimal string alignment distance, or `limit` as soon as it cannot be less. fastest-levenshtein counts a swap as
 * two changes, so it would miss `Clale`. Row and column of the table are how many characters of `a` and of `b` are compared.
 */
function editDistance(a: string, b: string, limit: number): number {
  for (let column = 0; column <= b.length; column++) last[column] = column;
  for (let row = 1; row <= a.length; row++) {
    const letter = a.charCodeAt(row - 1);
    const letterBefore = row > 1 ? a.charCodeAt(row - 2) : -1;
    let smallest = row;
    current[0] = row;
    for (let column = 1; column <= b.length; column++) {
      const other = b.charCodeAt(column - 1);
      const replaced = at(last, column - 1) + (letter === other ? 0 : 1);
      let distance = Math.min(replaced, at(current, column - 1) + 1, at(last, column) + 1);
      const isSwapped = column > 1 && letterBefore === other && letter === b.charCodeAt(column - 2);
      if (isSwapped) distance = Math.min(distance, at(beforeLast, column - 2) + 1);
      current[column] = distance;
      if (distance < smallest) smallest = distance;
    }
    [beforeLast, last, current] = [last, current, beforeLast];
    // A swap follows from the row before the last.
    if (smallest >= limit && !isBelow(beforeLast, b.length, limit)) return limit;
  }
  return at(last, b.length);
}

function at(row: Uint8Array, column: number): number {
  return row[column] as number;
}

function isBelow(row: Uint8Array, columns: number, limit: number): boolean {
  for (let column = 0; column <= columns; column++) if (at(row, column) < limit) return true;
  return false;
}
