import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { withTimeout } from '#shared/async/with-timeout.ts';
import { explainOutage } from '#shared/stores/transient-errors.ts';

/** Pause after the first failed try, in ms; each further pause is twice as long, up to the longest one. */
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;
/** Longest wait of a service that closes for the step that it is at, in ms. */
const STOP_MS = 3_000;

type Step = { what: string; work: () => Promise<unknown> };

/**
 * What a service does once when it starts, whether or not its stores are there: it serves meanwhile, and answers 503
 * where it needs what is not there yet. Each step is tried until it succeeds. The log has the first failure, each other
 * reason, and the success; not every try.
 */
export class Startup {
  /** Resolves when every step is done; never where the service closes before. */
  readonly done: Promise<void>;
  readonly #done = Promise.withResolvers<void>();
  readonly #log: FastifyBaseLogger;
  readonly #end = new AbortController();
  readonly #connections: Promise<void>[] = [];
  readonly #steps: Step[] = [];
  #running: Promise<void> = Promise.resolve();
  #isDone = false;

  constructor(log: FastifyBaseLogger) {
    this.#log = log;
    this.done = this.#done.promise;
  }

  /** Whether every step is done. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Begins to connect to a store, beside all others. @param what names it in the log. */
  connect(what: string, work: () => Promise<unknown>): void {
    this.#connections.push(this.#untilDone({ what, work }));
  }

  /** Adds what is done once all stores are connected, in the order of the calls. */
  onceConnected(what: string, work: () => Promise<unknown>): void {
    this.#steps.push({ what, work });
  }

  /** Begins what waits for the connections; to be called when everything is added. */
  begin(): void {
    this.#running = this.#run();
  }

  /** Begins no further try, and waits for a step that runs; connections are closed by who opened them. */
  async stop(): Promise<void> {
    this.#end.abort();
    await withTimeout(STOP_MS, 'The last step of the start', this.#running).catch((err) =>
      this.#log.warn({ err }, 'A step of the start was given up'),
    );
  }

  async #run(): Promise<void> {
    const { signal } = this.#end;
    await Promise.race([Promise.all(this.#connections), once(signal, 'abort')]);
    for (const step of this.#steps) await this.#untilDone(step);
    if (signal.aborted) return;
    this.#isDone = true;
    this.#done.resolve();
  }

  async #untilDone({ what, work }: Step): Promise<void> {
    let reason: string | undefined;
    for (let pause = FIRST_PAUSE_MS; !this.#end.signal.aborted; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
      try {
        await work();
        if (reason !== undefined) this.#log.info(`The service no longer waits for ${what}`);
        return;
      } catch (error) {
        const err = error as Error;
        if (err.message !== reason)
          this.#log.warn({ err }, `The service waits for ${what}: ${explainOutage(err)}`);
        reason = err.message;
      }
      await delay(pause, undefined, { signal: this.#end.signal }).catch(() => {});
    }
  }
}
