/** Gives back the smallest key first, and equal keys in the order in which they came (a binary heap). */
export class Heap<T> {
  readonly #items: { key: number; order: number; value: T }[] = [];
  #added = 0;

  get size(): number {
    return this.#items.length;
  }

  add(key: number, value: T): void {
    const items = this.#items;
    const item = { key, order: this.#added++, value };
    let at = items.length;
    for (let parent = (at - 1) >> 1; at > 0; parent = (at - 1) >> 1) {
      const above = items[parent];
      if (!above || isBefore(above, item)) break;
      items[at] = above;
      at = parent;
    }
    items[at] = item;
  }

  take(): { key: number; value: T } | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (last && items.length > 0) this.#sink(last);
    return first;
  }

  /** Puts an item at the top, and moves it down to its place. */
  #sink(item: { key: number; order: number; value: T }): void {
    const items = this.#items;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      let below = items[child];
      const right = items[child + 1];
      if (right && below && isBefore(right, below)) {
        child++;
        below = right;
      }
      if (!below || isBefore(item, below)) break;
      items[at] = below;
      at = child;
    }
    items[at] = item;
  }
}

type Ordered = { key: number; order: number };

function isBefore(one: Ordered, other: Ordered): boolean {
  return one.key < other.key || (one.key === other.key && one.order < other.order);
}

/** What happens at a moment. An event that resolves a promise returns what waits for it. */
type Event = () => unknown;

/** A clock that jumps from one event to the next. `now` is in ms. */
export class Clock {
  now = 0;
  readonly #events = new Heap<Event>();

  after(ms: number, event: Event): void {
    this.#events.add(this.now + ms, event);
  }

  /** Runs until no event is left. */
  async run(): Promise<void> {
    for (let next = this.#events.take(); next; next = this.#events.take()) {
      this.now = next.key;
      const waits = next.value();
      if (waits instanceof Promise) await waits;
    }
  }
}
