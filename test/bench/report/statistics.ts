/** The value below which `share` (0 to 1) of the values lie. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** Of two lists of rounds that ran in turns: the quotient round by round, so that the machine's moods cancel out. */
export function ratios(over: readonly number[], under: readonly number[]): number[] {
  return over.map((value, round) => value / (under[round] ?? Number.NaN));
}

/** Says the median and the most of some latencies, in ms, over all rounds. */
export function spread(rounds: readonly number[][]): string {
  const figure = (share: number) => percentile(rounds.flat(), share).toFixed(0);
  return `p50 ${figure(0.5)} ms, most ${figure(1)} ms`;
}

/** The 99th percentile of each round. */
export function p99(rounds: readonly number[][]): number[] {
  return rounds.map((latencies) => percentile(latencies, 0.99));
}
