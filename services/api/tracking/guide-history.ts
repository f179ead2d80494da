import { isDeepStrictEqual } from 'node:util';
import type { Problem } from '#shared/errors/domain-error.ts';
import { ANONYMOUS } from '#shared/guides/guide.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import { CLOCKS_DIFFER_MS, MAX_EVENTS_OF_GUIDE } from '#shared/tracking/event.ts';
import type { NewEntry, ToldEntry } from '#shared/tracking/event-log.ts';
import { type EventBody, PERSONAL_FIELDS } from '#shared/tracking/event-model.ts';
import type { Adjuster, WeighedPrice } from '../guides/adjusting.ts';
import type { GuideState } from '../guides/guide-store.ts';
import { invalidTime } from './event-request.ts';
import { GuideProgress } from './guide-state.ts';
import { isWeighing, Weighings } from './weighings.ts';

/** A guide with its log entries, and the entries to add. */
export class GuideHistory {
  readonly guide: GuideDocument;
  readonly #progress: GuideProgress;
  readonly #weighings: Weighings;
  /** By their ids; those of this very append, whose answer was lost, are new to whoever told them. */
  readonly #known: Map<string, { told: EventBody; isNews: boolean }>;
  #count: number;
  /** Whether an event has the mark by which the guide is billed. */
  #isBilled: boolean;
  #cancellation: Pick<NewEntry, 'told' | 'username'> | undefined;
  readonly #adjuster: Adjuster | undefined;
  /** The price by the events so far, once somebody has asked for it. */
  #price: WeighedPrice | undefined;

  /** @param adjuster prices weighings; undefined if there are none, or nothing can price them. */
  constructor(
    guide: GuideDocument,
    entries: readonly ToldEntry[],
    append: string,
    adjuster?: Adjuster | undefined,
  ) {
    this.guide = guide;
    this.#adjuster = adjuster;
    const told = entries.map((entry) => entry.told);
    this.#progress = new GuideProgress(told, packagesOf(guide));
    this.#weighings = new Weighings(told, packagesOf(guide));
    this.#known = new Map(
      entries.map((entry) => [entry.told.Id, { told: entry.told, isNews: entry.append === append }]),
    );
    this.#count = entries.length;
    this.#isBilled = entries.some(({ billed }) => billed);
    this.#cancellation = entries.find(({ told }) => told.Tipo === 'Cancelacion');
  }

  /** Returns the verdict on an event told at `now`, `new` if it may be added (docs/contract.md "Events"). */
  judge(told: EventBody, now: Date): 'new' | 'registered' | 'repeated' | Problem {
    // Before 1.3.1 the Id of a cancellation was another one.
    const Id = (told.Tipo === 'Cancelacion' && this.#cancellation?.told.Id) || told.Id;
    const known = this.#known.get(Id);
    if (known) {
      if (!isDeepStrictEqual(known.told.Cobrado, told.Cobrado))
        return { campo: 'Cobrado', code: 'event-different' };
      if (!isSame(known.told, told)) return { campo: 'Id', code: 'event-conflict' };
      const verdict = known.isNews ? 'registered' : 'repeated';
      known.isNews = false;
      return verdict;
    }
    if (told.Tipo === 'Cancelacion') {
      if (this.guide.status === 'Cancelado') return 'repeated'; // before there was a log
      return this.#count > 0 ? { code: 'guide-on-its-way' } : 'new';
    }
    return this.#problemOf(told, now) ?? 'new';
  }

  #problemOf({ Ocurrido, Paquete = 1 }: EventBody, now: Date): Problem | undefined {
    const { status, createdUtc } = this.guide;
    if (status === 'Cancelado' || this.#cancellation) return { campo: 'Guia', code: 'guide-cancelled' };
    if (this.#count >= MAX_EVENTS_OF_GUIDE) return { campo: 'Guia', code: 'guide-events-full' };
    const occurred = Date.parse(Ocurrido);
    if (occurred > now.getTime() + CLOCKS_DIFFER_MS)
      return invalidTime('no puede estar mas de 10 minutos en el futuro');
    if (occurred < createdUtc.getTime() - CLOCKS_DIFFER_MS) {
      return invalidTime('no puede ser anterior a la guia');
    }
    const packages = packagesOf(this.guide);
    if (Paquete > packages) {
      const rule = `debe ser un numero entero de 1 a ${packages}`;
      return { campo: 'Paquete', code: 'field-invalid', params: { rule } };
    }
    return undefined;
  }

  /** Adds an event. @returns its entry in the log, but for who told it. */
  add(told: EventBody, username: string): NewEntry {
    this.#progress.add(told);
    this.#weighings.add(told);
    if (this.#changesPrice(told)) this.#price = undefined;
    this.#known.set(told.Id, { told, isNews: false });
    this.#count++;
    if (told.Tipo === 'Cancelacion') this.#cancellation = { told, username };
    const { createdUtc, guide, facts, billed, expiresAt } = this.guide;
    // A process of 1.9 registers a first event without it: then the next one has it.
    const bills = billed !== undefined && !this.#isBilled && told.Tipo !== 'Cancelacion';
    this.#isBilled ||= bills;
    return {
      told,
      status: this.#progress.status,
      version: this.#count,
      username,
      ...(this.#changesPrice(told) && this.#weighedPrice),
      ...(guide.Referencia !== undefined && { reference: guide.Referencia }),
      ...(facts && { facts }),
      ...(bills && { billed: true }),
      ...(expiresAt && { expiresAt }),
      ...(PERSONAL_FIELDS.some((field) => told[field] !== undefined) && { retentionStart: createdUtc }),
    };
  }

  /** Returns whether an event is a weighing, or annuls one. */
  #changesPrice(told: EventBody): boolean {
    const annulled = this.#known.get(told.Anula ?? '')?.told;
    return isWeighing(told) || (annulled !== undefined && isWeighing(annulled));
  }

  get #weighedPrice(): WeighedPrice | undefined {
    if (!this.#adjuster || this.#weighings.isEmpty) return undefined;
    this.#price ??= this.#adjuster(this.#weighings.counting);
    return this.#price;
  }

  /** All events, in the order of the log. */
  get told(): EventBody[] {
    return [...this.#known.values()].map(({ told }) => told);
  }

  get state(): GuideState {
    const { told, username } = this.#cancellation ?? {};
    const { adjustment } = this.#weighedPrice ?? {};
    return {
      status: this.#progress.status,
      events: this.#count,
      ...(adjustment && { adjustment }),
      ...(told && { cancelled: { by: username ?? '', at: new Date(told.Ocurrido) } }),
    };
  }

  get isStored(): boolean {
    return this.#count <= (this.guide.events ?? 0);
  }
}

function packagesOf({ guide }: GuideDocument): number {
  return guide.Producto.Paquetes ?? 1;
}

/**
 * Returns whether an event is a repetition. What was anonymised since cannot differ. The moment of a further cancellation,
 * or of a further scan of a manifest, may differ.
 */
function isSame(known: EventBody, told: EventBody): boolean {
  if (known.Tipo === 'Cancelacion' && told.Tipo === 'Cancelacion') return true;
  if (known.Manifiesto !== undefined && known.Manifiesto === told.Manifiesto) return true;
  const fields = { ...told };
  for (const name of PERSONAL_FIELDS) {
    if (known[name] === ANONYMOUS && told[name] !== undefined) fields[name] = ANONYMOUS;
  }
  return isDeepStrictEqual({ ...known }, fields);
}
