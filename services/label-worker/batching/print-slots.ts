type Prints = { prints: number; labels: number };

/**
 * Bounds how many prints run at once, and decides when another one starts.
 *
 * While one slot prints, the next starts only when at least as many labels are queued as are printing. Small prints
 * cost more a label, and at half of the top load they took the cores that other labels waited for (p99 260–370 ms,
 * with this rule 180–200 ms).
 *
 * Prints of labels that go behind others leave one slot free, where there are several: a label that is asked for singly
 * does not wait for them, nor are they counted against it (docs/decisions/0030-labels-in-one-file.md).
 */
export class PrintSlots {
  readonly #concurrency: number;
  readonly #single: Prints = { prints: 0, labels: 0 };
  readonly #behind: Prints = { prints: 0, labels: 0 };

  constructor(concurrency: number) {
    this.#concurrency = concurrency;
  }

  /** Returns whether a print may start now, when so many labels of its kind are queued. */
  mayStart(queued: number, behind = false): boolean {
    const { prints, labels } = this.#of(behind);
    const most = behind ? Math.max(1, this.#concurrency - 1) : this.#concurrency;
    const free = this.#single.prints + this.#behind.prints < this.#concurrency;
    return free && prints < most && queued > 0 && queued >= labels;
  }

  /** Occupies a slot with so many labels until `print` has ended. */
  async occupy(labels: number, print: () => Promise<void>, behind = false): Promise<void> {
    const active = this.#of(behind);
    active.prints++;
    active.labels += labels;
    try {
      await print();
    } finally {
      active.prints--;
      active.labels -= labels;
    }
  }

  #of(behind: boolean): Prints {
    return behind ? this.#behind : this.#single;
  }
}
