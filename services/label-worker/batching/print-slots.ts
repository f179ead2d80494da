/** Time for which a slot is kept free of files after the print of another label, in ms. */
const KEPT_FREE_MS = 1_000;

/**
 * Bounds how many prints run at once, and decides when another one starts. While one slot prints, the next starts only
 * when at least as many labels are queued as are printing. Small prints cost more a label, and take the cores that other
 * labels need. While clients ask for single labels, files leave one slot free, so that no single label waits for a file.
 */
export class PrintSlots {
  readonly #concurrency: number;
  #prints = 0;
  #filePrints = 0;
  /** Labels that are printing: those of files, and the others. */
  #labels = { files: 0, others: 0 };
  /** When a print of labels that are not of a file last ended. */
  #endedAt = Number.NEGATIVE_INFINITY;

  constructor(concurrency: number) {
    this.#concurrency = concurrency;
  }

  /** Whether clients ask for single labels now. */
  get areSinglesAsked(): boolean {
    return this.#labels.others > 0 || performance.now() - this.#endedAt < KEPT_FREE_MS;
  }

  /** Returns whether a print may start now. @param behind whether its labels belong to files of many. */
  mayStart(queued: number, behind: boolean): boolean {
    if (queued === 0 || this.#prints >= this.#concurrency) return false;
    const { files, others } = this.#labels;
    if (!behind) return queued >= others;
    const filePrints = Math.max(1, this.#concurrency - (this.areSinglesAsked ? 1 : 0));
    return queued >= files + others && this.#filePrints < filePrints;
  }

  /** Occupies a slot with a print until it has ended. @param behind whether its labels belong to files of many. */
  async occupy(labels: number, behind: boolean, work: () => Promise<void>): Promise<void> {
    const of = behind ? 'files' : 'others';
    this.#prints++;
    if (behind) this.#filePrints++;
    this.#labels[of] += labels;
    try {
      await work();
    } finally {
      this.#prints--;
      if (behind) this.#filePrints--;
      else this.#endedAt = performance.now();
      this.#labels[of] -= labels;
    }
  }
}
