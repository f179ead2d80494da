import type { Load } from '../load/load.ts';
import { percentile } from '../report/statistics.ts';
import type { End } from './cell.ts';
import type { Clock } from './events.ts';

type Send = (end: (end: End) => void) => void;

/** Counts how labels end. A latency is in ms, and counts from the moment at which the label was asked for. */
export class Tally {
  asked = 0;
  readonly latencies: Record<End, number[]> = { served: [], refused: [], failed: [], late: [] };
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param after runs when the label has ended. */
  send(send: Send, after = () => {}): void {
    const beganAt = this.#clock.now;
    this.asked++;
    send((end) => {
      this.latencies[end].push(this.#clock.now - beganAt);
      after();
    });
  }

  count(end: End): number {
    return this.latencies[end].length;
  }

  p(share: number, end: End = 'served'): number {
    return percentile(this.latencies[end], share);
  }
}

/** As `inParallel` of the benchmark: so many clients, each of which waits for its answer. */
export async function inParallel(
  clock: Clock,
  count: number,
  clients: number,
  send: Send,
): Promise<Pick<Load, 'perSecond'> & { tally: Tally }> {
  const tally = new Tally(clock);
  const next = () => {
    if (tally.asked < count) tally.send(send, () => clock.after(0, next));
  };
  for (let client = 0; client < clients; client++) next();
  await clock.run();
  return { tally, perSecond: (1_000 * tally.count('served')) / clock.now };
}

/** As `atRate` of the benchmark: one label after the other at a fixed rate, whatever the answers do. */
export async function atRate(clock: Clock, perSecond: number, seconds: number, send: Send): Promise<Tally> {
  const tally = new Tally(clock);
  const count = perSecond * seconds;
  for (let i = 0; i < count; i++) clock.after((1_000 * i) / perSecond, () => tally.send(send));
  await clock.run();
  return tally;
}

/** A Poisson process, as of many customers who know nothing of each other. @param rate labels a second at a time, in ms. */
export function poisson(
  clock: Clock,
  random: () => number,
  seconds: number,
  rate: (now: number) => number,
  arrive: () => void,
): void {
  const next = () => {
    if (clock.now >= 1_000 * seconds) return;
    arrive();
    plan();
  };
  const plan = () => clock.after((-1_000 * Math.log(1 - random())) / rate(clock.now), next);
  plan();
}
