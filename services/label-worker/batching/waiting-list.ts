/** Most pages in one print, unless a single label has more. A print of 100 pages takes about 0.3 s. */
const MAX_PAGES = 100;
/** A label with more pages takes as long as a whole batch: it is printed by itself, so no other waits for its pages. */
const LARGE_PAGES = MAX_PAGES / 4;

/** What decides which labels share a print with this one. */
export type WaitingLabel = {
  readonly pages: number;
  /** Whether the label must be printed by itself. */
  readonly alone: boolean;
};

/** The labels that wait for a print, oldest first, and which of them share the next print. */
export class WaitingList<Label extends WaitingLabel> {
  readonly #maxLabels: number;
  #labels: Label[] = [];
  #lastWasLarge = false;

  /** @param maxLabels most labels in one print. */
  constructor(maxLabels: number) {
    this.#maxLabels = maxLabels;
  }

  get size(): number {
    return this.#labels.length;
  }

  add(label: Label): void {
    this.#labels.push(label);
  }

  /** Removes and returns the labels of the next print: at least one, unless none waits. */
  takeBatch(): Label[] {
    // After a large label, others have their turn: ten labels of 99 packages would hold up all others, and vice versa.
    const others = this.#lastWasLarge ? this.#labels.filter((label) => !isLarge(label)) : [];
    const candidates = others.length > 0 ? others : this.#labels;
    const batch = candidates.slice(0, batchSize(candidates, this.#maxLabels));
    this.#labels = this.#labels.filter((label) => !batch.includes(label));
    this.#lastWasLarge = batch.some(isLarge);
    return batch;
  }
}

/** Returns how many of the first labels share a print. */
function batchSize(labels: readonly WaitingLabel[], maxLabels: number): number {
  let pages = 0;
  let size = 0;
  for (const label of labels.slice(0, maxLabels)) {
    const alone = label.alone || isLarge(label);
    pages += label.pages;
    if (size > 0 && (alone || pages > MAX_PAGES)) break;
    size++;
    if (alone) break;
  }
  return size;
}

function isLarge({ pages }: WaitingLabel): boolean {
  return pages > LARGE_PAGES;
}
