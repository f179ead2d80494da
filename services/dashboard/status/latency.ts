/** `p50` and `p99` in ms; `since` is when the first of these labels was finished, in ms since 1970. */
export type LatencyFigures = { labels: number; p50: number; p99: number; since: number };

/** @param labels when each was asked for and when it was finished, in ms since 1970, the last one first. */
export function latencyOf(
  labels: readonly { asked: number; finished: number }[],
): LatencyFigures | undefined {
  const first = labels.at(-1);
  if (!first) return undefined;
  const sorted = labels.map(({ asked, finished }) => Math.max(0, finished - asked)).sort((a, b) => a - b);
  /** Nearest rank. */
  const percentile = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  return { labels: sorted.length, p50: percentile(0.5), p99: percentile(0.99), since: first.finished };
}
