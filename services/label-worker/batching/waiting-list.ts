import type { LabelKind } from '#shared/contracts/label-kinds.ts';

/** Most pages in one print, unless a single label has more. A print of 100 pages takes about 0.3 s. */
const MAX_PAGES = 100;
/** A label with more pages takes as long as a whole batch: it is printed by itself, so no other waits for its pages. */
const LARGE_PAGES = MAX_PAGES / 4;

/** What decides which labels share a print with this one. */
export type WaitingLabel = {
  /** Labels of one kind share a print, and so one template: its styles can touch no other kind. Pictures need none. */
  readonly kind?: LabelKind;
  readonly pages: number;
  /** Whether the label must be printed by itself. */
  readonly alone: boolean;
  /** In the line of all labels, which is that of the queue: the smallest number goes first. */
  readonly place: number;
};

/** The labels that wait for a print, in the order of their places, and which of them share the next one. */
export class WaitingList<Label extends WaitingLabel> {
  readonly #maxLabels: number;
  readonly #labels: Label[] = [];

  /** @param maxLabels most labels in one print. */
  constructor(maxLabels: number) {
    this.#maxLabels = maxLabels;
  }

  get size(): number {
    return this.#labels.length;
  }

  add(label: Label): void {
    // From the end: a label that is added last is seldom the first.
    const before = this.#labels.findLastIndex(({ place }) => place <= label.place);
    this.#labels.splice(before + 1, 0, label);
  }

  /** Removes and returns the labels of the next print: the first in the line, and those of its kind behind it that fit. */
  takeBatch(): Label[] {
    const batch: Label[] = [];
    let pages = 0;
    for (let i = 0; i < this.#labels.length && batch.length < this.#maxLabels; ) {
      const label = this.#labels[i] as Label;
      const alone = label.alone || label.pages > LARGE_PAGES;
      const [first] = batch;
      if (first && (label.kind !== first.kind || alone || pages + label.pages > MAX_PAGES)) {
        i++; // a later print is for it
        continue;
      }
      batch.push(label);
      pages += label.pages;
      this.#labels.splice(i, 1);
      if (alone) break;
    }
    return batch;
  }
}
