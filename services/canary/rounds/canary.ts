import { setTimeout as delay } from 'node:timers/promises';
import { type CanaryReport, GOOD_ROUND_MAX_AGE_MS, ROUND_MS, type Way } from '#shared/canary/report.ts';
import { FailureLog } from '#shared/observability/failure-log.ts';
import type { Logger } from '#shared/observability/logger.ts';
import type { Credential } from '../http/credential.ts';
import { Customer } from '../http/customer.ts';
import type { WayIn } from '../http/ways.ts';
import type { Reader } from '../reading/reader.ts';
import { Destinations } from '../steps/destinations.ts';
import type { Login } from '../steps/login.ts';
import { periodicChecks } from '../steps/periodic-checks.ts';
import { makeRound } from '../steps/round.ts';
import type { Made, Outcome } from '../steps/steps.ts';
import type { OwnWebhook } from '../webhook/own-webhook.ts';
import { CheckScheduler } from './check-scheduler.ts';
import { Histories } from './history.ts';
import { Schedule } from './schedule.ts';
import { WayRounds } from './way-rounds.ts';

export type CanaryOptions = {
  /** The way that customers use. */
  customers: WayIn;
  /** Lists a way for each api process that there is now. Absent if these are not tried. */
  processes: (() => Promise<WayIn[]>) | undefined;
  /** Returns the key as one way keeps it: one process may refuse what others accept. */
  newKey: () => Credential;
  login: Login;
  reader: Reader;
  /** Absent if the canary has no address for it. */
  webhook: OwnWebhook | undefined;
  /** Gets each step that was made. */
  observe: (outcome: Outcome, way: Way) => void;
  log: Logger;
};

/** Of more processes than these, each is asked less often, so that the load stays the same. */
const MAX_PROCESSES = 12;
/** Pause between two looks for a check that is due, in ms. */
const POLL_MS = 1_000;

/** Of a way that refuses the key, while another one accepts it. */
const REFUSED: Outcome = {
  ...{ step: 'create', form: '', result: 'failed', ms: 0, isAtDeadline: false },
  answer: '401: la API rechaza la llave del cliente de prueba',
};

/** Makes rounds by each way in, and the periodic checks, until it is stopped. */
export class Canary {
  readonly #options: CanaryOptions;
  readonly #end = new AbortController();
  readonly #destinations = new Destinations();
  readonly #customers: WayRounds;
  /** By host. */
  readonly #processes = new Map<string, WayRounds>();
  readonly #startedAt = performance.now();
  /** When the account had reached a limit last, by `performance.now()`. */
  #limitedAt = Number.NEGATIVE_INFINITY;
  /** While the DNS names no process. */
  readonly #listing: FailureLog;
  /** Of the periodic checks, which go by the way of customers. */
  readonly checks = new Histories();

  constructor(options: CanaryOptions) {
    this.#options = options;
    this.#listing = new FailureLog(options.log, {
      failed: 'The canary tries no api process',
      recovered: 'The canary tries api processes again',
    });
    this.#customers = this.#roundsBy(options.customers);
  }

  start(): void {
    const { customer } = this.#customers;
    const scheduler = new CheckScheduler(
      periodicChecks({
        ...{ ...this.#options, customer, destinations: this.#destinations },
        goodGuide: () => this.#customers.goodGuide,
        clocks: () => this.ways.flatMap((rounds) => rounds.clock ?? []),
      }),
    );
    this.#repeatRounds(this.#customers, () => true);
    this.#repeat(() => this.#listProcesses().then(() => ROUND_MS));
    this.#repeat(() => this.#makeCheck(scheduler));
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
    return this.#destinations.areMissing;
  }

  /** API_PROCESSES_URL names no process. */
  get lacksProcesses(): boolean {
    return this.#listing.isFailing;
  }

  report(): CanaryReport {
    const everyMs = ROUND_MS * this.#slowdownOf('process');
    const ways = this.ways.map((rounds) => ({
      ...rounds.report(),
      ...(rounds.way.way === 'process' && everyMs > ROUND_MS && { everyMs }),
    }));
    return {
      key: this.#keyState(),
      ...(this.isWaiting && { waiting: 'no-branches' }),
      ...{ ways, checks: this.checks.faults(), uptimeMs: performance.now() - this.#startedAt },
    };
  }

  #keyState(): CanaryReport['key'] {
    if (this.ways.some((rounds) => rounds.key.isRefused && !this.#isAcceptedBeside(rounds))) return 'refused';
    return performance.now() - this.#limitedAt < GOOD_ROUND_MAX_AGE_MS ? 'limited' : 'ok';
  }

  /** Returns whether another way has accepted the key since this one refuses it. */
  #isAcceptedBeside({ key: { refusedSince = Number.POSITIVE_INFINITY } }: WayRounds): boolean {
    return this.ways.some(
      ({ key: { isRefused, rightAt } }) => !isRefused && rightAt !== undefined && rightAt > refusedSince,
    );
  }

  #roundsBy(way: WayIn): WayRounds {
    return new WayRounds(way, new Customer(way, this.#options.newKey()));
  }

  /** Begins the rounds by new processes. One that is listed no more is forgotten with its faults, because it has ended. */
  async #listProcesses(): Promise<void> {
    const listed = await this.#options.processes?.();
    if (!listed) return;
    if (listed.length > 0) this.#listing.succeeded();
    else this.#listing.failed(new Error('API_PROCESSES_URL has no address'));
    const hosts = listed.map(({ host }) => host);
    for (const host of this.#processes.keys()) if (!hosts.includes(host)) this.#processes.delete(host);
    for (const way of listed.filter(({ host }) => !this.#processes.has(host))) {
      const rounds = this.#roundsBy(way);
      this.#processes.set(way.host, rounds);
      this.#repeatRounds(rounds, () => this.#processes.get(way.host) === rounds);
    }
  }

  #repeatRounds(rounds: WayRounds, isListed: () => boolean): void {
    const schedule = new Schedule(ROUND_MS);
    this.#repeat(async () => {
      const outcomes = await this.#makeRound(rounds, isListed);
      // The process may just have ended.
      if (rounds.way.way === 'process' && outcomes.some(({ result }) => result !== 'ok'))
        await this.#listProcesses();
      return isListed() ? schedule.after(outcomes) * this.#slowdownOf(rounds.way.way) : undefined;
    });
  }

  /** @returns what was noted of the round. */
  async #makeRound(rounds: WayRounds, isListed: () => boolean): Promise<Outcome[]> {
    const round = await makeRound(rounds.customer, rounds.way.way, this.#destinations, this.#options.reader);
    if (!isListed() || this.#end.signal.aborted) return [];
    const isAtFault = round.untried === 'refused' && this.#isAcceptedBeside(rounds);
    if (round.untried && !isAtFault) {
      this.#noteUntried(round.untried);
      rounds.forget();
      // They go by the same key.
      if (rounds === this.#customers) this.checks.forget();
      return [];
    }
    const outcomes = isAtFault ? [REFUSED] : round.outcomes;
    if (outcomes.length === 0) return [];
    rounds.note({ ...round, outcomes });
    for (const outcome of outcomes) this.#publish(outcome, rounds.way);
    return outcomes;
  }

  async #makeCheck(scheduler: CheckScheduler): Promise<number> {
    const made = await scheduler.next();
    if (!made || this.#end.signal.aborted) return POLL_MS;
    this.#noteUntried(made.untried);
    this.checks.note(made.outcomes, made.skipped);
    for (const outcome of made.outcomes) this.#publish(outcome, this.#customers.way);
    return POLL_MS;
  }

  #noteUntried(why: Made['untried']): void {
    if (why === 'limited') this.#limitedAt = performance.now();
  }

  #publish(outcome: Outcome, { way, host }: WayIn): void {
    const { observe, log } = this.#options;
    observe(outcome, way);
    if (outcome.result === 'ok') return;
    const { step, form, ms, answer, requestId } = outcome;
    log.warn(
      { step, form, host, ms: Math.round(ms), answer, requestId },
      outcome.result === 'late' ? 'A step of the canary was late' : 'A step of the canary failed',
    );
  }

  #slowdownOf(way: Way): number {
    if (way === 'customers') return 1;
    return Math.max(1, this.#processes.size / MAX_PROCESSES);
  }

  /** Repeats `work` until the canary stops, or `work` returns undefined. @param work returns the time from its start to the next one. */
  #repeat(work: () => Promise<number | undefined>): void {
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
