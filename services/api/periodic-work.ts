type Options = {
  periodMs: number;
  work: () => Promise<void>;
  /** Is told why a run failed; the next one comes all the same. */
  onError: (error: unknown) => void;
};

/** Does some work again and again, one run at a time. It keeps no process alive. */
export class PeriodicWork {
  readonly #options: Options;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Begins at once, and goes on until `close`. Resolves when the first run has ended. */
  start(): Promise<void> {
    this.#timer = setInterval(() => this.#run(), this.#options.periodMs).unref();
    return this.#run();
  }

  /** Resolves when no run is under way any more. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  #run(): Promise<void> {
    const { work, onError } = this.#options;
    this.#running ??= work()
      .catch(onError)
      .finally(() => {
        this.#running = undefined;
      });
    return this.#running;
  }
}
