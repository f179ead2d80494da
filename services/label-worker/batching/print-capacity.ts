import { cpus } from 'node:os';
import type { PrintCapacity } from '#shared/stores/heartbeat.ts';

/** Time of which labels and usages count, in ms. */
const WINDOW_MS = 60_000;
/** Of fewer labels in this time nothing is told. */
const MIN_LABELS = 20;
/** Batches that are full to this share cost hardly more a label than full ones. */
const FULL = 0.4;

/** How much of a resource was used until now, and how much there was of it, in ms. Only how both grow tells anything. */
export type Usage = { used: number; all: number };

/** The sums until a moment (`at`, by `performance.now()`), with the usage of each resource that may end first. */
type Reading = { at: number; labels: number; mostLabels: number; usages: Usage[] };

/**
 * Measures how many labels the worker could print: those of the last minute, divided by the used share of the resource that ends
 * first. That is the print slots, the processors of the machine, or the worker's own thread.
 *
 * Processors count with all that runs on them, because other services need them for the same labels. A worker whose cores are
 * limited prints for longer, which its slots tell. A small batch costs almost as much as a full one: with small ones, the worker
 * could print at least so many, and at 40 % of its real most it may already seem full.
 */
export class CapacityMeter {
  readonly #slots: number;
  readonly #others: readonly (() => Usage)[];
  #readings: Reading[] = [];
  #labels = 0;
  #mostLabels = 0;
  #printing = 0;
  /** Time of slots that were printing until `#changedAt`, in ms. */
  #printed = 0;
  #changedAt = performance.now();

  /** @param slots most prints at a time. @param others the other resources that may end first. */
  constructor(slots: number, others: readonly (() => Usage)[] = [() => processorUsage(), threadUsage]) {
    this.#slots = slots;
    this.#others = others;
  }

  /** Measures a print. @param mostLabels how many labels it might have had: fewer if they are of files. */
  async measure<T>(labels: number, mostLabels: number, print: () => Promise<T>): Promise<T> {
    this.#change(1);
    try {
      const printed = await print();
      this.#labels += labels;
      this.#mostLabels += mostLabels;
      return printed;
    } finally {
      this.#change(-1);
    }
  }

  /** Call it every few seconds. Returns undefined in the first minute, and of few labels. */
  capacity(): PrintCapacity | undefined {
    const now = this.#read();
    this.#readings.push(now);
    const first = this.#readings.findLastIndex(({ at }) => now.at - at >= WINDOW_MS);
    this.#readings.splice(0, first);
    const [then] = this.#readings;
    if (first < 0 || !then) return undefined;
    const labels = now.labels - then.labels;
    if (labels < MIN_LABELS) return undefined;
    const share = Math.max(...now.usages.map((usage, i) => shareUsed(then.usages[i], usage)));
    const perMinute = (60_000 * labels) / (now.at - then.at);
    return {
      perMinute,
      mostPerMinute: perMinute / share,
      isLeast: labels < FULL * (now.mostLabels - then.mostLabels),
    };
  }

  #read(): Reading {
    const at = this.#change(0);
    const slots = { used: this.#printed, all: at * this.#slots };
    return {
      at,
      labels: this.#labels,
      mostLabels: this.#mostLabels,
      usages: [slots, ...this.#others.map((usage) => usage())],
    };
  }

  #change(by: 1 | 0 | -1): number {
    const now = performance.now();
    this.#printed += this.#printing * (now - this.#changedAt);
    this.#changedAt = now;
    this.#printing += by;
    return now;
  }
}

function shareUsed(then: Usage | undefined, now: Usage): number {
  const all = now.all - (then?.all ?? 0);
  return all > 0 ? Math.min(1, (now.used - (then?.used ?? 0)) / all) : 0;
}

/** Of all processors of the machine, by whatever runs on it. */
export function processorUsage(processors = cpus()): Usage {
  const times = processors.map(({ times }) => times);
  const idle = times.reduce((sum, each) => sum + each.idle, 0);
  const all = times.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0);
  return { used: all - idle, all };
}

/** Of the thread that takes labels, fills their templates and cuts the prints. */
function threadUsage(): Usage {
  const { active, idle } = performance.eventLoopUtilization();
  return { used: active, all: active + idle };
}
