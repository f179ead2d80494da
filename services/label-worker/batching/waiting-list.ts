/** Most pages in one print, unless a single label has more. A print of 100 pages takes about 0.3 s. */
const MAX_PAGES = 100;
/** A label with more pages takes as long as a whole batch: it is printed by itself, so no other waits for its pages. */
const LARGE_PAGES = MAX_PAGES / 4;

/** What decides which labels share a print with this one. */
export type WaitingLabel = {
  readonly pages: number;
  /** Whether the label must be printed by itself. */
  readonly alone: boolean;
  /** Whose label it is: accounts take turns. */
  readonly account: string;
  /** Whether it is one of many that are asked for together: it shares no print with those that are asked for singly. */
  readonly behind: boolean;
};

/** The labels of an account that wait, oldest first, and the page at which it is its turn. */
type Line<Label> = { behind: boolean; labels: Label[]; turn: number };
/** Lines that are remembered while nothing waits in them, so that an account's last pages count against its next. */
const MAX_IDLE_LINES = 1_000;

/**
 * The labels that wait for a print, and which of them share the next one.
 *
 * Accounts have the same share of the printed pages: the next label is always of the account with the fewest pages
 * printed (start-time fair queueing: P. Goyal et al., 1996). An account's large labels wait in a line of their own, or
 * ten of 99 packages would hold up its others. Labels of many that are asked for together have lines of their own too.
 */
export class WaitingList<Label extends WaitingLabel> {
  readonly #maxLabels: number;
  readonly #lines = new Map<string, Line<Label>>();
  /** The turn that was taken last: an account that begins to wait has no claim to pages of before. */
  #turn = 0;
  #sizes = { single: 0, behind: 0 };

  /** @param maxLabels most labels in one print. */
  constructor(maxLabels: number) {
    this.#maxLabels = maxLabels;
  }

  get size(): number {
    return this.#sizes.single + this.#sizes.behind;
  }

  /** Returns how many labels wait that are asked for singly, or that go behind those. */
  sizeOf(behind: boolean): number {
    return this.#sizes[kindOf(behind)];
  }

  add(label: Label): void {
    const { account, behind } = label;
    const name = `${kindOf(behind)} ${isLarge(label) ? 'large' : 'small'} ${account}`;
    const line = this.#lines.get(name) ?? { behind, labels: [], turn: 0 };
    if (line.labels.length === 0) line.turn = Math.max(line.turn, this.#turn);
    this.#lines.set(name, line);
    line.labels.push(label);
    this.#sizes[kindOf(behind)]++;
  }

  /**
   * Removes and returns the labels of the next print: at least one, unless none waits.
   *
   * @param mayPrint whether those that are asked for singly, and those behind them, may be printed now.
   */
  takeBatch(mayPrint: (behind: boolean) => boolean = () => true): Label[] {
    const batch: Label[] = [];
    let pages = 0;
    const kinds = [false, true].filter(mayPrint);
    const nextLine = () => this.#next(batch[0] ? [batch[0].behind] : kinds);
    for (let next = nextLine(); next && batch.length < this.#maxLabels; next = nextLine()) {
      const label = next.labels[0] as Label;
      const alone = label.alone || isLarge(label);
      if (batch.length > 0 && (alone || pages + label.pages > MAX_PAGES)) break;
      pages += label.pages;
      batch.push(label);
      this.#take(next, label);
      if (alone) break;
    }
    if (this.#lines.size > MAX_IDLE_LINES) this.#forgetIdle();
    return batch;
  }

  /** Returns the line whose turn it is, of these kinds. */
  #next(kinds: readonly boolean[]): Line<Label> | undefined {
    let next: Line<Label> | undefined;
    for (const line of this.#lines.values()) {
      if (line.labels.length > 0 && kinds.includes(line.behind) && (!next || line.turn < next.turn))
        next = line;
    }
    return next;
  }

  #take(line: Line<Label>, { pages }: Label): void {
    line.labels.shift();
    this.#sizes[kindOf(line.behind)]--;
    this.#turn = line.turn;
    line.turn += pages;
  }

  #forgetIdle(): void {
    for (const [name, { labels }] of this.#lines) if (labels.length === 0) this.#lines.delete(name);
  }
}

function kindOf(behind: boolean): 'single' | 'behind' {
  return behind ? 'behind' : 'single';
}

function isLarge({ pages }: WaitingLabel): boolean {
  return pages > LARGE_PAGES;
}
