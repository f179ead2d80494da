import type { Clock } from './events.ts';

/** Does one work after the other. `ms` is the time that a work takes on a core of its own. */
export type Thread = { run(ms: number, then: () => void): void };

/** A thread of a machine. `usedMs` is the time of cores that it has used. */
export type MachineThread = Thread & { readonly usedMs: number };

type Running = { works: { leftMs: number; then: () => void }[]; first: number; usedMs: number };

/** Cores that the threads which have work share evenly (processor sharing). One thread has at most one core. */
export class Machine {
  readonly #clock: Clock;
  readonly #cores: number;
  readonly #running = new Set<Running>();
  /** Moment up to which `leftMs` is right. */
  #at = 0;
  /** Only the event that was planned last counts. */
  #plan = 0;

  constructor(clock: Clock, cores: number) {
    this.#clock = clock;
    this.#cores = cores;
  }

  thread(): MachineThread {
    const thread: Running = { works: [], first: 0, usedMs: 0 };
    return {
      run: (ms, then) => {
        thread.works.push({ leftMs: ms, then });
        if (this.#running.has(thread)) return;
        this.#advance();
        this.#running.add(thread);
        this.#planNext();
      },
      get usedMs() {
        return thread.usedMs;
      },
    };
  }

  /** Share of a core that each running thread has. */
  get #share(): number {
    return Math.min(1, this.#cores / this.#running.size);
  }

  #advance(): void {
    const ms = (this.#clock.now - this.#at) * this.#share;
    this.#at = this.#clock.now;
    for (const thread of this.#running) {
      const work = thread.works[thread.first];
      if (work) work.leftMs -= ms;
      thread.usedMs += ms;
    }
  }

  #planNext(): void {
    const plan = ++this.#plan;
    if (this.#running.size === 0) return;
    let leftMs = Number.POSITIVE_INFINITY;
    for (const { works, first } of this.#running) leftMs = Math.min(leftMs, works[first]?.leftMs ?? 0);
    this.#clock.after(Math.max(0, leftMs) / this.#share, () => {
      if (plan === this.#plan) this.#finish();
    });
  }

  #finish(): void {
    this.#advance();
    const finished: (() => void)[] = [];
    for (const thread of this.#running) {
      const work = thread.works[thread.first];
      if (!work || work.leftMs > ROUNDING_MS) continue;
      finished.push(work.then);
      thread.first++;
      if (thread.first === thread.works.length) this.#running.delete(thread);
      // Keeps the list short without moving all works each time.
      if (thread.first === thread.works.length || thread.first > 1_000) {
        thread.works.splice(0, thread.first);
        thread.first = 0;
      }
    }
    this.#planNext();
    for (const then of finished) then();
  }
}

/** Sums of times are not exact: less than this is nothing. */
const ROUNDING_MS = 1e-6;
