import { setTimeout as delay } from 'node:timers/promises';
import type { CanaryReport, Way } from '#shared/canary/report.ts';
import type { Logger } from '#shared/observability/logger.ts';
import type { Credential } from '../http/credential.ts';
import { Customer } from '../http/customer.ts';
import type { WayIn } from '../http/ways.ts';
import type { Reader } from '../reading/reader.ts';
import { Places } from '../steps/places.ts';
import { makeRound } from '../steps/round.ts';
import type { Outcome } from '../steps/steps.ts';
import { Histories } from './history.ts';
import { Pace } from './pace.ts';
import { WayRounds } from './way-rounds.ts';

export type CanaryOptions = {
  ways: () => Promise<WayIn[]>;
  key: Credential;
  reader: Reader;
  /** Gets each step that was made. */
  observe: (outcome: Outcome, way: Way) => void;
  log: Logger;
};

/** Time from the start of a round by a way to that of the next one, in ms; also between two lists of the ways. */
const ROUND_MS = 15_000;
/** Of more processes than these, each is asked less often, so that the load stays the same. */
const MAX_PROCESSES = 12;

/** Makes rounds by each way in, and the slower series, until it is stopped. */
export class Canary {
  readonly #options: CanaryOptions;
  readonly #end = new AbortController();
  readonly #loops = new Set<Promise<void>>();
  readonly #ways = new Map<string, WayRounds>();
  readonly #places = new Places();
  readonly #startedAt = performance.now();
  /** Of the slower series, which go by the way of customers. */
  readonly series = new Histories();

  constructor(options: CanaryOptions) {
    this.#options = options;
  }

  start(): void {
    this.#keepOn(() => this.#watchWays());
  }

  /** Resolves when the rounds under way have ended. */
  async stop(): Promise<void> {
    this.#end.abort();
    await Promise.all(this.#loops);
  }

  /** Those that customers use first. */
  get ways(): WayRounds[] {
    return [...this.#ways.values()];
  }

  /** No branch takes guides yet, which is no fault of the service. */
  get isWaiting(): boolean {
    return this.#places.areMissing;
  }

  report(): CanaryReport {
    const ways = this.ways.map((rounds) => rounds.report());
    return {
      key: this.#options.key.isRefused ? 'refused' : 'ok',
      ...(this.isWaiting && { waiting: 'no-branches' }),
      ...{ ways, series: this.series.faults(), uptimeMs: performance.now() - this.#startedAt },
    };
  }

  /** Begins the rounds of new ways. A way that is listed no more is forgotten with its faults: a process may have ended. */
  async #watchWays(): Promise<number> {
    const listed = await this.#options.ways();
    const names = listed.map(nameOf);
    for (const name of this.#ways.keys()) if (!names.includes(name)) this.#ways.delete(name);
    for (const way of listed) if (!this.#ways.has(nameOf(way))) this.#begin(way);
    return ROUND_MS;
  }

  #begin(way: WayIn): void {
    const rounds = new WayRounds(way, new Customer(way, this.#options.key));
    const isListed = () => this.#ways.get(nameOf(way)) === rounds;
    this.#ways.set(nameOf(way), rounds);
    const pace = new Pace(ROUND_MS);
    this.#keepOn(async () => {
      const isBad = await this.#makeRound(rounds, isListed);
      return isListed() ? pace.after(isBad) * this.#stretchOf(way.way) : undefined;
    });
  }

  /** @returns whether the round was bad. */
  async #makeRound(rounds: WayRounds, isListed: () => boolean): Promise<boolean> {
    const { key, reader } = this.#options;
    const round = await makeRound(rounds.customer, rounds.way.way, this.#places, reader);
    if (key.isRefused || round.outcomes.length === 0) return false;
    const isBad = round.outcomes.some(({ result }) => result !== 'ok');
    // The process may just have ended.
    if (isBad) await this.#watchWays();
    if (!isListed()) return false;
    rounds.note(round);
    for (const outcome of round.outcomes) this.#tell(outcome, rounds.way);
    return isBad;
  }

  #tell(outcome: Outcome, { way, host }: WayIn): void {
    const { observe, log } = this.#options;
    observe(outcome, way);
    if (outcome.result === 'ok') return;
    const { step, form, ms, answer, requestId } = outcome;
    log.warn(
      { step, form, host, ms: Math.round(ms), answer, requestId },
      outcome.result === 'late' ? 'A step of the canary was late' : 'A step of the canary failed',
    );
  }

  #stretchOf(way: Way): number {
    if (way === 'customers') return 1;
    const processes = this.ways.filter((each) => each.way.way === 'process').length;
    return Math.max(1, processes / MAX_PROCESSES);
  }

  /** Repeats `work` until the canary stops, or `work` returns undefined. @param work returns the time from its start to the next one. */
  #keepOn(work: () => Promise<number | undefined>): void {
    const { signal } = this.#end;
    const loop = async () => {
      while (!signal.aborted) {
        const from = performance.now();
        const pauseMs = await work().catch((err) => {
          this.#options.log.error({ err }, 'A round of the canary ended with an error');
          return ROUND_MS;
        });
        if (pauseMs === undefined) return;
        const leftMs = Math.max(0, from + pauseMs - performance.now());
        await delay(leftMs, undefined, { signal, ref: false }).catch(() => {});
      }
    };
    const running = loop().finally(() => this.#loops.delete(running));
    this.#loops.add(running);
  }
}

function nameOf({ way, host }: WayIn): string {
  return `${way} ${host}`;
}
