/** Longest name that is compared: the time of a comparison grows with the square of the length. */
const MAX_LENGTH = 40;

/**
 * Returns the one of `known` that a misspelt name most likely means, or undefined. Case does not matter, and of every four
 * characters one may be missing, added or another one.
 */
export function closestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  let closest: string | undefined;
  let least = Math.floor(name.length / 4) + 1;
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < least) [closest, least] = [candidate, distance];
  }
  return closest;
}

/** Returns how many characters differ, are missing or are added (Levenshtein), row by row of the usual table. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = (previous[column - 1] as number) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const added = (current[column - 1] as number) + 1;
      const missing = (previous[column] as number) + 1;
      current.push(Math.min(replaced, added, missing));
    }
    previous = current;
  }
  return previous[b.length] as number;
}
