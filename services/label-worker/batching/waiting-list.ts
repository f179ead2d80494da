import type { PrintKind } from '#shared/printing/print-kinds.ts';

/** Most pages in one print, unless a single label has more. */
const MAX_PAGES = 100;
/** A label with more pages takes as long as a whole batch, so it is printed alone. */
const LARGE_PAGES = MAX_PAGES / 4;
/** Most labels of files in one print. A small number, because a single label may have to wait for that print. */
const MAX_BEHIND = 12;
/** The same while clients ask for single labels: those print beside them, on the same cores. */
export const FEW_BEHIND = 4;

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
  #labels: Label[] = [];

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

  /** Returns how many labels a print with this one may have. */
  maxLabelsWith({ behind }: Pick<WaitingLabel, 'behind'>): number {
    return behind ? Math.min(this.#maxLabels, MAX_BEHIND) : this.#maxLabels;
  }

  /**
   * Removes and returns the labels of the next print: the first one, and those of its kind behind it that fit.
   * @param mostOfFiles how many labels of files they may be.
   */
  takeBatch(mostOfFiles = MAX_BEHIND): Label[] {
    const first = this.#labels.find(({ behind }) => mostOfFiles > 0 || !behind);
    if (!first) return [];
    const batch = [first];
    let { pages } = first;
    const maxLabels = Math.min(this.maxLabelsWith(first), first.behind ? mostOfFiles : Infinity);
    for (const label of this.#labels) {
      if (batch.length === maxLabels || isPrintedAlone(first)) break;
      const fits = maySharePrint(first, label) && pages + label.pages <= MAX_PAGES;
      if (label === first || !fits) continue;
      batch.push(label);
      pages += label.pages;
    }
    this.#labels = this.#labels.filter((label) => !batch.includes(label));
    return batch;
  }
}

function isPrintedAlone({ alone, pages }: WaitingLabel): boolean {
  return alone || pages > LARGE_PAGES;
}

function maySharePrint(first: WaitingLabel, other: WaitingLabel): boolean {
  return first.kind === other.kind && first.behind === other.behind && !isPrintedAlone(other);
}
