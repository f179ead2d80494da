import { WORKS_MS, type Work } from '#shared/stores/process-registry.ts';

/** Remembers what this process did well of late, for whomever. The registry tells the other processes. */
export class Works {
  /** When it did so last, of `performance.now()`. */
  readonly #doneAt = new Map<Work, number>();

  note(work: Work): void {
    this.#doneAt.set(work, performance.now());
  }

  /** Returns what was done within `WORKS_MS`. */
  recent(): Work[] {
    const since = performance.now() - WORKS_MS;
    return [...this.#doneAt].flatMap(([work, at]) => (at > since ? work : []));
  }
}
