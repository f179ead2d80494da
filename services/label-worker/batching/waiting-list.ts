import type { LabelKind } from '#shared/contracts/label-kinds.ts';

/** Most pages in one print, unless a single label has more. A print of 100 pages takes about 0.3 s. */
const MAX_PAGES = 100;
/** A label with more pages takes as long as a whole batch: it is printed by itself, so no other waits for its pages. */
const LARGE_PAGES = MAX_PAGES / 4;
/** Most labels of files in one print: for so long a label that is asked for alone waits, with both slots taken. */
const MAX_BEHIND = 12;

/** What decides which labels share a print with this one. */
export type WaitingLabel = {
  /** Labels of one kind share a print, and so one template: its styles can touch no other kind. Pictures need none. */
  readonly kind?: LabelKind;
  readonly pages: number;
  /** Whether the label must be printed by itself. */
  readonly alone: boolean;
  /** Whether the label belongs to a file of many. Such a label shares no print with those that are asked for one by one. */
  readonly behind?: boolean;
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

  /**
   * Removes and returns the labels of the next print: the first in the line, and those of its kind behind it that fit.
   *
   * @param files whether labels of files may be among them.
   */
  takeBatch(files = true): Label[] {
    const batch: Label[] = [];
    let pages = 0;
    let maxLabels = this.#maxLabels;
    for (let i = 0; i < this.#labels.length && batch.length < maxLabels; ) {
      const label = this.#labels[i] as Label;
      const alone = label.alone || label.pages > LARGE_PAGES;
      const [first] = batch;
      const isLater = first && (!maySharePrint(first, label) || alone || pages + label.pages > MAX_PAGES);
      if (isLater || (label.behind && !files)) {
        i++; // a later print is for it
        continue;
      }
      if (label.behind) maxLabels = Math.min(maxLabels, MAX_BEHIND);
      batch.push(label);
      pages += label.pages;
      this.#labels.splice(i, 1);
      if (alone) break;
    }
    return batch;
  }
}

function maySharePrint(one: WaitingLabel, other: WaitingLabel): boolean {
  return one.kind === other.kind && one.behind === other.behind;
}
