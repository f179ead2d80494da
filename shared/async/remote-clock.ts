/** A slower answer may be wrong by half of its duration, so the store is asked again. */
const SLOW_MS = 500;
/** Most questions to a store. After them, the quickest answer holds. */
const MAX_ASKED = 3;

/**
 * Returns how far a store's clock is ahead of `performance.now()`, in ms. Processes compare times on that clock, because
 * their own clocks may be minutes apart.
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
    aheadMs = time - (from + to) / 2; // the best guess is that the store answered in the middle
  }
  return aheadMs;
}
