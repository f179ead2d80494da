/** An answer that takes longer, in ms, may be wrong by half of it, as when the store hung meanwhile: it is asked again. */
const SLOW_MS = 500;
/** How often a store is asked at most; then the quickest answer holds. */
const MAX_ASKED = 3;

/**
 * Returns how far the clock of a store is ahead of `performance.now()`, in ms. What one process notes and another one
 * compares must be on one clock, since their own may be minutes apart.
 *
 * @param ask returns the store's time, in ms since 1970.
 */
export async function measureAhead(ask: () => Promise<number>): Promise<number> {
  let quickestMs = Number.POSITIVE_INFINITY;
  let aheadMs = 0;
  for (let asked = 0; asked < MAX_ASKED && quickestMs > SLOW_MS; asked++) {
    const from = performance.now();
    const time = await ask();
    const to = performance.now();
    if (to - from >= quickestMs) continue;
    quickestMs = to - from;
    aheadMs = time - (from + to) / 2; // the store answered in the middle
  }
  return aheadMs;
}
