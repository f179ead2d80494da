import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import fastq from 'fastq';
import { Counter, type Registry } from 'prom-client';
import { inTurns } from '#shared/async/in-turns.ts';
import { DomainError, type Problem } from '#shared/errors/domain-error.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { MAX_EVENTS } from '#shared/tracking/event.ts';
import type { Append, EventLog, NewEntry } from '#shared/tracking/event-log.ts';
import type { EventBody } from '#shared/tracking/event-model.ts';
import type { AdjustersOf } from '../guides/adjusting.ts';
import { Attempts, STORE_MS } from '../guides/attempts.ts';
import type { GuideState, GuideStore } from '../guides/guide-store.ts';
import { Overdue } from '../guides/overdue.ts';
import type { Follower } from './following.ts';
import { GuideHistory } from './guide-history.ts';
import { isWeighing } from './weighings.ts';

/** Most appends in flight, each of another account. */
const MAX_APPENDS = 16;
/** Events of one account that may wait in a process: some seconds of appends. */
const MAX_WAITING = 20 * MAX_EVENTS;

/** `repeated` if the event was registered before. */
export type Verdict = 'registered' | 'repeated' | Problem;
/** The guide now belongs to another account, in whose log the event belongs. */
type Moved = { movedTo: string };
type Waiting = PromiseWithResolvers<Verdict | Moved> & { told: EventBody; username: string };
type Histories = ReadonlyMap<string, GuideHistory>;
type Decision = { verdicts: (Verdict | Moved)[]; histories: Histories };

/** `followers`: rooms above may add theirs later. */
type RegisterDeps = {
  log: EventLog;
  guides: GuideStore;
  adjustersOf: AdjustersOf;
  followers?: readonly Follower[];
};

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
  readonly #adjustersOf: AdjustersOf;
  readonly #followers: readonly Follower[];
  readonly #onAppended: (account: string) => void;
  readonly #results: Counter<'result'>;
  readonly #overdue = new Overdue();
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #turns = fastq.promise((account: string) => this.#takeTurn(account), MAX_APPENDS);

  /** @param onAppended is called with each account in whose log there is more to see. */
  constructor(
    { log, guides, adjustersOf, followers = [] }: RegisterDeps,
    metrics: Registry,
    onAppended: (account: string) => void,
  ) {
    this.#log = log;
    this.#guides = guides;
    this.#adjustersOf = adjustersOf;
    this.#followers = followers;
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
  async add(account: string, told: EventBody, username: string): Promise<Verdict> {
    const item = { told, username, ...Promise.withResolvers<Verdict | Moved>() };
    const waiting = this.#waiting.get(account);
    if (!waiting) {
      this.#waiting.set(account, [item]);
      void this.#turns.push(account);
    } else if (waiting.length < MAX_WAITING) waiting.push(item);
    else throw new DomainError('overloaded', { params: { seconds: 2 } });
    const verdict = await item.promise;
    if (typeof verdict === 'object' && 'movedTo' in verdict) return this.add(verdict.movedTo, told, username);
    this.count(verdict);
    return verdict;
  }

  /** Returns the time by which events are judged. @throws as `DatabaseClock` does. */
  now(): Promise<Date> {
    return this.#log.now();
  }

  count(verdict: Verdict): void {
    this.#results.inc({ result: typeof verdict === 'string' ? verdict : 'refused' });
  }

  /** Gives the guides of appends that a crash has cut their status, one append after the other. */
  async sweep(log: Pick<Logger, 'info' | 'warn'>): Promise<void> {
    for (const id of this.#overdue.among(await this.#log.unfinishedIds())) {
      try {
        const cut = await this.#log.openAppend(id);
        if (!cut) continue;
        const { append, account, guides } = cut;
        const histories = await this.#read(guides, append.id);
        await this.#storeStates(statesOf(histories), append.id);
        await this.#follow(histories);
        await this.#log.done(append);
        this.#onAppended(account);
        log.info(
          { append: append.id },
          'The guides of an append of events that was cut have their status now',
        );
      } catch (err) {
        log.warn({ err, id }, 'The guides of an append of events that was cut wait for the next sweep');
      }
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

  async #append(account: string, batch: readonly Waiting[]): Promise<Decision['verdicts']> {
    const append: Append = { id: randomUUID(), open: [] };
    const attempts = new Attempts('events-unknown');
    const timeIsOver = AbortSignal.timeout(STORE_MS);
    const decide = () => this.#decide(account, append.id, batch);
    const verdicts = await attempts.untilAnswered(async () => {
      const { verdicts, histories } = await this.#log.append(account, append, decide, timeIsOver);
      await this.#storeStates(statesOf(histories), append.id);
      await this.#follow(histories);
      return verdicts;
    });
    if (append.open.length > 0) void this.#end(account, append);
    return verdicts;
  }

  /**
   * Ends an append, so that readers see it. No request waits for it. If it fails, readers see the append in five seconds, until
   * when webhooks look again and again, and a sweep repeats it.
   */
  async #end(account: string, append: Append): Promise<void> {
    await this.#log.done(append).catch(() => {});
    this.#onAppended(account);
  }

  /** Decides what becomes of events, by all that is in the log now. */
  async #decide(
    account: string,
    append: string,
    batch: readonly Waiting[],
  ): Promise<{ entries: NewEntry[]; result: Decision }> {
    const coming = batch.map(({ told }) => told);
    const [histories, now] = await Promise.all([
      this.#read(new Set(coming.map(({ Guia }) => Guia)), append, coming),
      this.#log.now(),
    ]);
    const entries: NewEntry[] = [];
    const verdicts = await inTurns(batch, ({ told, username }): Verdict | Moved => {
      const history = histories.get(told.Guia);
      if (!history) return { campo: 'Guia', code: 'guide-not-found' } as const;
      const verdict = history.judge(told, now);
      if (verdict !== 'new') return verdict;
      if (history.guide.account !== account) return { movedTo: history.guide.account };
      entries.push(history.add(told, username));
      return 'registered';
    });
    return { entries, result: { verdicts, histories } };
  }

  /**
   * Stores what the log makes of guides. A guide that is stored from as many events already is read again: while it is moved
   * to another account, two logs may take an event of it at the same moment, and its status must be made from both.
   */
  async #storeStates(states: Map<string, GuideState>, append: string): Promise<void> {
    for (let open = states; open.size > 0; ) {
      if (await this.#guides.storeStates(open)) return;
      open = statesOf(await this.#read(open.keys(), append));
    }
  }

  /** Before the append is done: a crash in between leaves it open, and a sweep follows again. */
  async #follow(histories: Histories): Promise<void> {
    if (this.#followers.length === 0) return;
    const followed = await inTurns(histories.values(), ({ guide, told }) => ({ guide, told }));
    for (const follow of this.#followers) await follow(followed);
  }

  /** @param coming the events that may be added. */
  async #read(
    numbers: Iterable<string>,
    append: string,
    coming: readonly EventBody[] = [],
  ): Promise<Map<string, GuideHistory>> {
    const wanted = [...numbers];
    const [guides, entries] = await Promise.all([
      Promise.all(wanted.map((number) => this.#guides.find(number))),
      this.#log.ofGuides(wanted),
    ]);
    const byGuide = Map.groupBy(entries, ({ told }) => told.Guia);
    const comingTo = Map.groupBy(coming, ({ Guia }) => Guia);
    const isPriced = (guide: GuideDocument) =>
      needsPrice(
        guide,
        (byGuide.get(guide._id) ?? []).map(({ told }) => told),
        comingTo.get(guide._id) ?? [],
      );
    const found = guides.filter((guide) => guide !== undefined);
    const adjusters = await this.#adjustersOf(found.filter(isPriced));
    const histories = await inTurns(found, (guide) => {
      const { _id: number } = guide;
      const adjuster = adjusters.get(number);
      return [number, new GuideHistory(guide, byGuide.get(number) ?? [], append, adjuster)] as const;
    });
    return new Map(histories);
  }
}

/**
 * Returns whether weighings of a guide are priced. A guide with a quote has the price of those before in its state; of one
 * without, only an entry of a weighing, or of the annulment of one, stores the price.
 */
function needsPrice(
  { quote }: GuideDocument,
  known: readonly EventBody[],
  coming: readonly EventBody[],
): boolean {
  const weighings = new Set([...known, ...coming].filter(isWeighing).map(({ Id }) => Id));
  if (quote) return weighings.size > 0;
  return coming.some((told) => isWeighing(told) || weighings.has(told.Anula ?? ''));
}

/** Returns what the log makes of guides that are not stored so yet. */
function statesOf(histories: Histories): Map<string, GuideState> {
  const open = [...histories].filter(([, history]) => !history.isStored);
  return new Map(open.map(([number, history]) => [number, history.state]));
}
