/** Shares one run of some work among all who call during the run. Keeps no result. */
export class SingleFlight<Value> {
  readonly #underWay = new Map<string, Promise<Value>>();

  /** Joins the current run, or begins one. @param key names the work, if there is more than one. */
  run(work: () => Promise<Value>, key = ''): Promise<Value> {
    const known = this.#underWay.get(key);
    if (known) return known;
    const running = work().finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, running);
    return running;
  }
}
