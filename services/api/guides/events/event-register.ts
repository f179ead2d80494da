import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import fastq from 'fastq';
import { Counter, type Registry } from 'prom-client';
import { MAX_EVENTS } from '#shared/contracts/event.ts';
import { DomainError, type Problem } from '#shared/errors.ts';
import type { Logger } from '#shared/observability/logger.ts';
import type { EventLog, NewEntry, Told } from '#shared/stores/event-log.ts';
import { Attempts, STORE_MS } from '../attempts.ts';
import type { GuideRecord, GuideState, GuideStore } from '../guide-store.ts';
import { GuideHistory } from './guide-history.ts';

/** Appends of a process under way at a time, each of another account. */
const MAX_APPENDS = 16;
/** Events of one account that may wait in a process: some seconds of appends. */
const MAX_WAITING = 20 * MAX_EVENTS;

/** What became of an event; `repeated` where it was registered before. */
export type Verdict = 'registered' | 'repeated' | Problem;
type Waiting = PromiseWithResolvers<Verdict> & { told: Told; username: string };
type Decision = { verdicts: Verdict[]; states: Map<string, GuideState> };

/**
 * Registers events and cancellations in the log of the guide's account, and gives guides their new status.
 *
 * Appends of one account run one after the other, and what comes meanwhile is taken together: otherwise sixteen scanners
 * would race for the same number. A crash between the append and the guides leaves the append open; a sweep finishes it.
 * The list of guides filters by the stored status, so that to compute it where a guide is read would not do.
 */
export class EventRegister {
  readonly #log: EventLog;
  readonly #guides: GuideStore;
  readonly #onAppended: (account: string) => void;
  readonly #results: Counter<'result'>;
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #turns = fastq.promise((account: string) => this.#takeTurn(account), MAX_APPENDS);

  /** @param onAppended is told of each account whose log has grown. */
  constructor(log: EventLog, guides: GuideStore, metrics: Registry, onAppended: (account: string) => void) {
    this.#log = log;
    this.#guides = guides;
    this.#onAppended = onAppended;
    this.#results = new Counter({
      name: 'guide_events_total',
      help: 'Events and cancellations of guides by what became of them',
      labelNames: ['result'],
      registers: [metrics],
    });
    for (const result of ['registered', 'repeated', 'refused']) this.#results.inc({ result }, 0);
  }

  /**
   * Registers an event of a guide of this account, once all that came before it are registered.
   *
   * @throws DomainError `events-unknown` where nobody can know in time whether it is; `overloaded`.
   */
  async add(account: string, told: Told, username: string): Promise<Verdict> {
    const item = { told, username, ...Promise.withResolvers<Verdict>() };
    const waiting = this.#waiting.get(account);
    if (!waiting) {
      this.#waiting.set(account, [item]);
      void this.#turns.push(account);
    } else if (waiting.length < MAX_WAITING) waiting.push(item);
    else throw new DomainError('overloaded', { params: { seconds: 2 } });
    const verdict = await item.promise;
    this.count(verdict);
    return verdict;
  }

  count(verdict: Verdict): void {
    this.#results.inc({ result: typeof verdict === 'string' ? verdict : 'refused' });
  }

  /** Gives the guides of appends that a crash has cut their status. */
  async sweep(log: Pick<Logger, 'info' | 'warn'>): Promise<void> {
    for await (const { append, open, guides } of this.#log.overdue(STORE_MS)) {
      const histories = await this.#read(guides, append);
      await this.#guides.storeStates(statesOf(histories.values()));
      await this.#log.done(append, open);
      log.info({ append }, 'The guides of an append of events that was cut have their status now');
    }
  }

  async #takeTurn(account: string): Promise<void> {
    await setImmediate(); // all events of a request are here then
    const waiting = this.#waiting.get(account) ?? [];
    const batch = waiting.splice(0, MAX_EVENTS);
    try {
      const verdicts = await this.#append(account, batch);
      for (const [i, { resolve }] of batch.entries()) resolve(verdicts[i] as Verdict);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    if (waiting.length > 0) void this.#turns.push(account);
    else this.#waiting.delete(account);
  }

  async #append(account: string, batch: readonly Waiting[]): Promise<Verdict[]> {
    const append = randomUUID();
    const attempts = new Attempts('events-unknown');
    const timeIsOver = AbortSignal.timeout(STORE_MS);
    const decide = () => this.#decide(append, batch);
    return attempts.untilAnswered(async () => {
      const { result, open } = await this.#log.append(account, append, decide, timeIsOver);
      await this.#guides.storeStates(result.states);
      if (open.length > 0) this.#onAppended(account);
      // Nobody waits for it. What fails here a sweep does.
      this.#log.done(append, open).catch(() => {});
      return result.verdicts;
    });
  }

  /** Decides what becomes of events, by all that is in the log now. */
  async #decide(
    append: string,
    batch: readonly Waiting[],
  ): Promise<{ entries: NewEntry[]; result: Decision }> {
    const histories = await this.#read(new Set(batch.map(({ told }) => told.Guia)), append);
    const entries: NewEntry[] = [];
    const verdicts = batch.map(({ told, username }) => {
      const history = histories.get(told.Guia);
      if (!history) return { campo: 'Guia', code: 'guide-not-found' } as const;
      const verdict = history.judge(told);
      if (verdict !== 'new') return verdict;
      entries.push(history.add(told, username));
      return 'registered';
    });
    return { entries, result: { verdicts, states: statesOf(histories.values()) } };
  }

  async #read(numbers: Iterable<string>, append: string): Promise<Map<string, GuideHistory>> {
    const wanted = [...numbers];
    const [guides, entries] = await Promise.all([
      Promise.all(wanted.map((number) => this.#guides.find(number))),
      this.#log.ofGuides(wanted),
    ]);
    const byGuide = Map.groupBy(entries, ({ told }) => told.Guia);
    const historyOf = (guide: GuideRecord) =>
      [guide.number, new GuideHistory(guide, byGuide.get(guide.number) ?? [], append)] as const;
    return new Map(guides.filter((guide) => guide !== undefined).map(historyOf));
  }
}

/** Returns what the log makes of guides that are not stored so yet. */
function statesOf(histories: Iterable<GuideHistory>): Map<string, GuideState> {
  return new Map(
    [...histories].flatMap((history) => (history.isStored ? [] : [[history.guide.number, history.state]])),
  );
}
