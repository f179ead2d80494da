/**
 * What a room asks of a room above it, which fills the port when it opens. Until then, and without such a room, the port has its
 * default. Read `value` when it is needed: a copy that was taken before keeps the default.
 */
export class Port<Value> {
  #value: Value;
  #isFilled = false;

  constructor(value: Value) {
    this.#value = value;
  }

  get value(): Value {
    return this.#value;
  }

  /** @throws Error if a room has filled it before. */
  fill(value: Value): void {
    if (this.#isFilled) throw new Error('Two rooms fill one port');
    this.#isFilled = true;
    this.#value = value;
  }
}
