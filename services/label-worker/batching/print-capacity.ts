import type { PrintCapacity } from '#shared/stores/heartbeat.ts';
import { MAX_PAGES } from './waiting-list.ts';

/** How long a print is remembered, in ms. */
const WINDOW_MS = 120_000;
/** With fewer prints, or a shorter time since the first of them, nothing is said. */
const MIN_PRINTS = 20;
const MIN_MS = 60_000;
/** The cost of a full batch is known if its standard error is at most this share of it. */
const MAX_ERROR = 0.1;
/** Least share of the printing time in which two prints ran together, for their slowdown to be known. */
const MIN_SHARED_BY_TWO = 0.05;
/** The same of three and more: a slowdown that was fitted to two would be wrong for them. */
const MIN_SHARED_BY_MORE = 0.5;
/** How much longer prints may take beside another one: 0 where each has a core of its own, 1 where all share one. */
const SLOWDOWNS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];

/** `maxLabels`: how many labels the print might have had. Those of files share smaller prints than others. */
type Batch = { labels: number; pages: number; maxLabels: number };

/** `times`: for how long, in ms, the print ran alone, beside one other, and so on. `endedAt` by `performance.now()`. */
type Print = Batch & { times: number[]; endedAt: number };

/** What a full batch costs, in ms of a print that runs alone. `misfit`: residual variance, by the square of the mean cost. */
type Fit = { slowdown: number; labels: number; cost: number; error: number; misfit: number };

/**
 * Measures what the worker's prints cost, and how many labels it could print.
 *
 * The share of time in which print slots are busy does not tell that: a slot that is free takes what waits, so a few labels keep it
 * busy with small prints, each of which costs almost as much as a large one. So the cost of a print is fitted as `a + b × pages`,
 * by least squares. The worker could print as many labels as its slots have time for in full batches, of files and of others as
 * they were printed. Prints that run at the same time slow each other down: of the slowdowns, the one with the best fit counts.
 */
export class PrintMeter {
  readonly #slots: number;
  #prints: Print[] = [];
  #running = 0;
  /** Time with one print running, with two, and so on, in ms. */
  readonly #times: number[];
  #changedAt = performance.now();

  /** @param slots most prints at a time. */
  constructor(slots: number) {
    this.#slots = slots;
    this.#times = Array.from({ length: slots }, () => 0);
  }

  /** Measures a print. One that fails counts as nothing, because nobody knows what it would have taken. */
  async measure<T>(batch: Batch, print: () => Promise<T>): Promise<T> {
    const began = this.#change(1);
    try {
      const printed = await print();
      const times = this.#change(0).map((time, i) => time - (began[i] ?? 0));
      this.#prints.push({ ...batch, times, endedAt: performance.now() });
      this.#forget();
      return printed;
    } finally {
      this.#change(-1);
    }
  }

  /** Returns undefined until a minute and some prints are measured. */
  capacity(): PrintCapacity | undefined {
    this.#forget();
    const prints = this.#prints;
    const [first] = prints;
    const measured = first ? performance.now() - first.endedAt : 0;
    if (prints.length < MIN_PRINTS || measured < MIN_MS) return undefined;
    const slots = slotsSeen(prints);
    const fits = SLOWDOWNS.map((slowdown) => fit(prints, slowdown));
    const best = fits.reduce((one, other) => (other.misfit <= one.misfit ? other : one));
    const isBatchKnown = best.error <= MAX_ERROR * best.cost;
    const labels = sum(prints, (print) => print.labels);
    const perMs = isBatchKnown
      ? (slots * best.labels) / (best.cost * slower(best.slowdown, slots))
      : labels / sum(prints, ({ times }) => costOf(times, 1));
    return {
      perMinute: (60_000 * labels) / measured,
      mostPerMinute: 60_000 * perMs,
      isLeast: !isBatchKnown || slots < this.#slots,
    };
  }

  /** @returns the times so far. */
  #change(by: 1 | 0 | -1): number[] {
    const now = performance.now();
    if (this.#running > 0) {
      const i = Math.min(this.#running, this.#slots) - 1;
      this.#times[i] = (this.#times[i] ?? 0) + now - this.#changedAt;
    }
    this.#changedAt = now;
    this.#running += by;
    return [...this.#times];
  }

  #forget(): void {
    const now = performance.now();
    this.#prints = this.#prints.filter(({ endedAt }) => now - endedAt < WINDOW_MS);
  }
}

/** Returns how many times longer a print takes while so many run. */
function slower(slowdown: number, running: number): number {
  return 1 + slowdown * (running - 1);
}

/** Returns how long the print would have taken alone, in ms. */
function costOf(times: readonly number[], slowdown: number): number {
  return times.reduce((cost, time, i) => cost + time / slower(slowdown, i + 1), 0);
}

/** Returns how many prints ran at the same time for long enough to tell how they slow each other down. */
function slotsSeen(prints: readonly Print[]): number {
  const timesWith = (running: number) =>
    sum(prints, ({ times }) => sum(times.slice(running - 1), (time) => time));
  const slots = prints[0]?.times.map((_, i) => i + 1) ?? [];
  const share = (running: number) => timesWith(running) / timesWith(1);
  return (
    slots.findLast((running) => share(running) >= (running > 2 ? MIN_SHARED_BY_MORE : MIN_SHARED_BY_TWO)) ?? 1
  );
}

/**
 * Predicts the cost of the mean full batch of such labels, with the standard error of a prediction by simple linear regression:
 * infinite where all prints had one other size, which says nothing of larger ones.
 */
function fit(prints: readonly Print[], slowdown: number): Fit {
  const count = prints.length;
  const costs = prints.map(({ times }) => costOf(times, slowdown));
  const allPages = sum(prints, ({ pages }) => pages);
  const [meanPages, meanCost] = [allPages / count, sum(costs, (cost) => cost) / count];
  const spread = sum(prints, ({ pages }) => (pages - meanPages) ** 2);
  const joint = sum(prints, ({ pages }, i) => (pages - meanPages) * ((costs[i] ?? 0) - meanCost));
  const slope = spread > 0 ? joint / spread : 0;
  const residuals = sum(
    prints,
    ({ pages }, i) => ((costs[i] ?? 0) - meanCost - slope * (pages - meanPages)) ** 2,
  );
  const variance = residuals / (count - 2);

  const allLabels = sum(prints, (print) => print.labels);
  const pagesEach = allPages / allLabels;
  const mostByPages = Math.max(1, MAX_PAGES / pagesEach);
  const fullBatches = sum(prints, (print) => print.labels / Math.min(print.maxLabels, mostByPages));
  const labels = allLabels / fullBatches;
  const distance = labels * pagesEach - meanPages;
  const cost = meanCost + slope * distance;
  const isKnownSize = spread > 0 || distance === 0;
  const error = isKnownSize
    ? Math.sqrt(variance * (1 / count + (distance && distance ** 2 / spread)))
    : Infinity;
  return { slowdown, labels, cost, error, misfit: variance / meanCost ** 2 };
}

function sum<T>(all: readonly T[], of: (one: T, i: number) => number): number {
  return all.reduce((total, one, i) => total + of(one, i), 0);
}
