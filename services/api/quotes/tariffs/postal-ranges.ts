/** A range of postal codes, both ends in. Codes of five digits are ordered as texts. */
export type PostalRange = { from: string; to: string; name: string; line: number };

/** Names of postal codes by ranges that do not overlap. */
export class PostalRanges {
  /** By ascending codes. */
  readonly ranges: readonly PostalRange[];

  constructor(ranges: readonly PostalRange[]) {
    this.ranges = ranges.toSorted((one, other) => (one.from < other.from ? -1 : 1));
  }

  /** Returns the name of the range that has a code, or undefined. */
  nameOf(code: string): string | undefined {
    let [low, high] = [0, this.ranges.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.ranges[middle] as PostalRange).to < code) low = middle + 1;
      else high = middle;
    }
    const range = this.ranges[low];
    return range && range.from <= code ? range.name : undefined;
  }

  /** Returns pairs of neighbours that share a code, the later line of the file first. */
  overlaps(): [PostalRange, PostalRange][] {
    let widest: PostalRange | undefined;
    return this.ranges.flatMap((range) => {
      const before = widest;
      if (!before || range.to > before.to) widest = range;
      if (!before || range.from > before.to) return [];
      return [range.line > before.line ? [range, before] : [before, range]] as [PostalRange, PostalRange][];
    });
  }
}
