import type { PrintKind } from '#shared/printing/print-kinds.ts';

/** Most pages in one print, unless a single label has more. */
const MAX_PAGES = 100;
/** A label with more pages takes as long as a whole batch, so it is printed alone. */
const LARGE_PAGES = MAX_PAGES / 4;
/** Most labels of files in one print. A small number, because a single label may have to wait for that print. */
const MAX_BEHIND = 12;

export type WaitingLabel = {
  /**
   * Labels of one kind share a print and a template, whose styles therefore touch no other kind. Pictures have no kind.
   */
  readonly kind?: PrintKind;
  readonly pages: number;
  readonly alone: boolean;
  /** Whether the label belongs to a file of many. It then shares no print with single labels. */
  readonly behind?: boolean;
  readonly place: number;
};

/** The labels that wait for a print, in the order of their places. */
export class WaitingList<Label extends WaitingLabel> {
  readonly #maxLabels: number;
  readonly #labels: Label[] = [];

  constructor(maxLabels: number) {
    this.#maxLabels = maxLabels;
  }

  get size(): number {
    return this.#labels.length;
  }

  add(label: Label): void {
    // Searches from the end, because a new label is seldom the first.
    const before = this.#labels.findLastIndex(({ place }) => place <= label.place);
    this.#labels.splice(before + 1, 0, label);
  }

  /**
   * Removes and returns the labels of the next print: the first one, and those of its kind behind it that fit.
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
        i++;
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
