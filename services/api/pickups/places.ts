/** Pure rules of places: a window with `Cupo` 5 has five, and each pick-up stands in one. */

/** What names a window. Its end is no part: a calendar that changes it does not give places twice. */
export type WindowOfBranch = { branch: string; date: string; from: string };

export function placeOf(window: WindowOfBranch, number: number): string {
  return `${prefixOf(window)}${number}`;
}

/** Selects the places of a window. */
export function placesOf(window: WindowOfBranch): { $gte: string; $lt: string } {
  const prefix = prefixOf(window);
  return { $gte: prefix, $lt: `${prefix}~` };
}

/**
 * Returns the places of a window that may be taken now, by ascending number: never more than are left. So two requests
 * together cannot take more than there are, even if one of them has read an older state. Places beyond `capacity` may be taken: the
 * calendar had more before.
 */
export function freePlaces(taken: ReadonlySet<number>, capacity: number): number[] {
  const left = Math.max(0, capacity - taken.size);
  const free: number[] = [];
  for (let number = 1; number <= capacity && free.length < left; number++) {
    if (!taken.has(number)) free.push(number);
  }
  return free;
}

function prefixOf({ branch, date, from }: WindowOfBranch): string {
  return `${branch} ${date} ${from} `;
}
