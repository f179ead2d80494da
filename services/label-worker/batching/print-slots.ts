/**
 * Bounds how many prints run at once, and decides when another one starts.
 *
 * While one slot prints, the next starts only when at least as many labels are queued as are printing. Small prints
 * cost more a label, and at half of the top load they took the cores that other labels waited for (p99 260–370 ms,
 * with this rule 180–200 ms).
 */
export class PrintSlots {
  readonly #concurrency: number;
  #activePrints = 0;
  #labelsInFlight = 0;

  constructor(concurrency: number) {
    this.#concurrency = concurrency;
  }

  /** Returns whether a print may start now, when so many labels are queued. */
  mayStart(queued: number): boolean {
    return queued > 0 && queued >= this.#labelsInFlight && this.#activePrints < this.#concurrency;
  }

  /** Occupies a slot with so many labels until `print` has ended. */
  async occupy(labels: number, print: () => Promise<void>): Promise<void> {
    this.#activePrints++;
    this.#labelsInFlight += labels;
    try {
      await print();
    } finally {
      this.#activePrints--;
      this.#labelsInFlight -= labels;
    }
  }
}
