import { setTimeout as delay } from 'node:timers/promises';
import type { CanaryReport, Way } from '#shared/canary/report.ts';
import type { Logger } from '#shared/observability/logger.ts';
import type { Credential } from '../http/credential.ts';
import { Customer } from '../http/customer.ts';
import type { WayIn } from '../http/ways.ts';
import type { Reader } from '../reading/reader.ts';
import type { Login } from '../steps/login.ts';
import { Places } from '../steps/places.ts';
import { makeRound } from '../steps/round.ts';
import { seriesOf } from '../steps/series.ts';
import type { Outcome } from '../steps/steps.ts';
import type { OwnWebhook } from '../webhook/own-webhook.ts';
import { Histories } from './history.ts';
import { Pace } from './pace.ts';
import { Turns } from './turns.ts';
import { WayRounds } from './way-rounds.ts';

export type CanaryOptions = {
  /** The way that customers use. */
  customers: WayIn;
  /** Lists a way for each api process that there is now. */
  processes: () => Promise<WayIn[]>;
  key: Credential;
  login: Login;
  reader: Reader;
  /** Absent if the canary has no address for it. */
  webhook: OwnWebhook | undefined;
  /** Gets each step that was made. */
  observe: (outcome: Outcome, way: Way) => void;
  log: Logger;
};

/** Time from the start of a round by a way to that of the next one, in ms; also between two lists of the processes. */
const ROUND_MS = 15_000;
/** Of more processes than these, each is asked less often, so that the load stays the same. */
const MAX_PROCESSES = 12;
/** Pause between two looks at which series is due, in ms. */
const LOOK_MS = 1_000;

/** Makes rounds by each way in, and the slower series, until it is stopped. */
export class Canary {
  readonly #options: CanaryOptions;
  readonly #end = new AbortController();
  readonly #places = new Places();
  readonly #customers: WayRounds;
  /** By host. */
  readonly #processes = new Map<string, WayRounds>();
  readonly #startedAt = performance.now();
  /** Of the slower series, which go by the way of customers. */
  readonly series = new Histories();

  constructor(options: CanaryOptions) {
    this.#options = options;
    this.#customers = this.#roundsBy(options.customers);
  }

  start(): void {
    const { customer } = this.#customers;
    const turns = new Turns(
      seriesOf({
        ...{ ...this.#options, customer, places: this.#places },
        goodGuide: () => this.#customers.goodGuide,
        clocks: () => this.ways.flatMap((rounds) => rounds.clock ?? []),
      }),
    );
    this.#repeatRounds(this.#customers, () => true);
    this.#keepOn(() => this.#listProcesses());
    this.#keepOn(() => this.#makeSeries(turns));
  }

  /** Begins nothing more. Requests under way end by themselves. */
  stop(): void {
    this.#end.abort();
  }

  /** The first is that of customers. */
  get ways(): WayRounds[] {
    return [this.#customers, ...this.#processes.values()];
  }

  /** No branch takes guides yet, which is no fault of the service. */
  get isWaiting(): boolean {
    return this.#places.areMissing;
  }

  report(): CanaryReport {
    const { key, login } = this.#options;
    const ways = this.ways.map((rounds) => rounds.report());
    return {
      key: key.isRefused || login.password.isRefused ? 'refused' : 'ok',
      ...(this.isWaiting && { waiting: 'no-branches' }),
      ...{ ways, series: this.series.faults(), uptimeMs: performance.now() - this.#startedAt },
    };
  }

  #roundsBy(way: WayIn): WayRounds {
    return new WayRounds(way, new Customer(way, this.#options.key));
  }

  /** Begins the rounds by new processes. One that is listed no more is forgotten with its faults, because it has ended. */
  async #listProcesses(): Promise<number> {
    const listed = await this.#options.processes();
    const hosts = listed.map(({ host }) => host);
    for (const host of this.#processes.keys()) if (!hosts.includes(host)) this.#processes.delete(host);
    for (const way of listed.filter(({ host }) => !this.#processes.has(host))) {
      const rounds = this.#roundsBy(way);
      this.#processes.set(way.host, rounds);
      this.#repeatRounds(rounds, () => this.#processes.get(way.host) === rounds);
    }
    return ROUND_MS;
  }

  #repeatRounds(rounds: WayRounds, isListed: () => boolean): void {
    const pace = new Pace(ROUND_MS);
    this.#keepOn(async () => {
      const isBad = await this.#makeRound(rounds, isListed);
      return isListed() ? pace.after(isBad) * this.#stretchOf(rounds.way.way) : undefined;
    });
  }

  /** @returns whether the round was bad. */
  async #makeRound(rounds: WayRounds, isListed: () => boolean): Promise<boolean> {
    const { key, reader } = this.#options;
    const round = await makeRound(rounds.customer, rounds.way.way, this.#places, reader);
    if (key.isRefused || round.outcomes.length === 0 || this.#end.signal.aborted) return false;
    const isBad = round.outcomes.some(({ result }) => result !== 'ok');
    // The process may just have ended.
    if (isBad) await this.#listProcesses();
    if (!isListed()) return false;
    rounds.note(round);
    for (const outcome of round.outcomes) this.#tell(outcome, rounds.way);
    return isBad;
  }

  async #makeSeries(turns: Turns): Promise<number> {
    const outcomes = await turns.next();
    if (this.#end.signal.aborted) return LOOK_MS;
    this.series.note(outcomes);
    for (const outcome of outcomes) this.#tell(outcome, this.#customers.way);
    return LOOK_MS;
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
    return Math.max(1, this.#processes.size / MAX_PROCESSES);
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
    void loop();
  }
}
