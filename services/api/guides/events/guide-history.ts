import { isDeepStrictEqual } from 'node:util';
import { MAX_AHEAD_MS, MAX_EVENTS_OF_GUIDE } from '#shared/contracts/event.ts';
import { ANONYMOUS } from '#shared/contracts/guide.ts';
import type { Problem } from '#shared/errors.ts';
import type { LogEntry, NewEntry, Told } from '#shared/stores/event-log.ts';
import type { GuideRecord, GuideState } from '../guide-store.ts';
import { invalidTime } from './event-request.ts';
import { guideState } from './guide-state.ts';

/** A guide with all that the log has of it, and what may be added. */
export class GuideHistory {
  readonly guide: GuideRecord;
  readonly #told: Told[];
  /** By their ids; those of this very append, whose answer was lost, are new to whoever told them. */
  readonly #known: Map<string, { told: Told; isNews: boolean }>;
  #cancelledBy: string | undefined;

  constructor(guide: GuideRecord, entries: readonly LogEntry[], append: string) {
    this.guide = guide;
    this.#told = entries.map(({ told }) => told);
    this.#known = new Map(
      entries.map((entry) => [entry.told.Id, { told: entry.told, isNews: entry.append === append }]),
    );
    this.#cancelledBy = entries.find(({ told }) => told.Tipo === 'Cancelacion')?.username;
  }

  /** Returns what becomes of an event, or `new` where it may be added (docs/contract.md "Events"). */
  judge(told: Told): 'new' | 'registered' | 'repeated' | Problem {
    const { Id, Tipo } = told;
    const known = this.#known.get(Id);
    if (known) {
      if (!isSame(known.told, told)) return { campo: 'Id', code: 'event-conflict' };
      const verdict = known.isNews ? 'registered' : 'repeated';
      known.isNews = false;
      return verdict;
    }
    if (Tipo === 'Cancelacion') {
      if (this.guide.status === 'Cancelado') return 'repeated'; // before there was a log
      return this.#told.length > 0 ? { code: 'guide-on-its-way' } : 'new';
    }
    return this.#refusalOf(told) ?? 'new';
  }

  #refusalOf({ Ocurrido, Paquete = 1 }: Told): Problem | undefined {
    const { status, createdUtc } = this.guide;
    if (status === 'Cancelado' || this.#cancelledBy !== undefined)
      return { campo: 'Guia', code: 'guide-cancelled' };
    if (this.#told.length >= MAX_EVENTS_OF_GUIDE) return { campo: 'Guia', code: 'guide-events-full' };
    const occurred = Date.parse(Ocurrido);
    if (occurred > Date.now() + MAX_AHEAD_MS)
      return invalidTime('no puede estar mas de 10 minutos en el futuro');
    // Scanners tell whole seconds.
    if (occurred < Math.floor(createdUtc.getTime() / 1_000) * 1_000) {
      return invalidTime('no puede ser anterior a la guia');
    }
    if (Paquete > this.#packages) {
      const rule = `debe ser un numero entero de 1 a ${this.#packages}`;
      return { campo: 'Paquete', code: 'field-invalid', params: { rule } };
    }
    return undefined;
  }

  /** Adds an event. @returns its entry in the log, but for who told it. */
  add(told: Told, username: string): NewEntry {
    this.#told.push(told);
    this.#known.set(told.Id, { told, isNews: false });
    if (told.Tipo === 'Cancelacion') this.#cancelledBy = username;
    const { createdUtc, guide } = this.guide;
    const { status, events } = this.state;
    return {
      told,
      status,
      version: events,
      username,
      ...(guide.Referencia !== undefined && { reference: guide.Referencia }),
      ...((told.Recibe ?? told.Nota) !== undefined && { personal: createdUtc }),
    };
  }

  get state(): GuideState {
    const cancellation = this.#told.find(({ Tipo }) => Tipo === 'Cancelacion');
    return {
      status: guideState(this.#told, this.#packages),
      events: this.#told.length,
      ...(cancellation && {
        cancelled: { by: this.#cancelledBy ?? '', at: new Date(cancellation.Ocurrido) },
      }),
    };
  }

  /** Whether the guide is stored as the log makes it. */
  get isStored(): boolean {
    return this.#told.length <= (this.guide.events ?? 0);
  }

  get #packages(): number {
    return this.guide.guide.Producto.Paquetes ?? 1;
  }
}

/** Returns whether an event is told again. What was anonymised since cannot differ; a guide is cancelled whenever. */
function isSame(known: Told, told: Told): boolean {
  if (known.Tipo === 'Cancelacion' && told.Tipo === 'Cancelacion') return true;
  const fields = { ...told };
  for (const name of ['Recibe', 'Nota'] as const) {
    if (known[name] === ANONYMOUS && told[name] !== undefined) fields[name] = ANONYMOUS;
  }
  return isDeepStrictEqual({ ...known }, fields);
}
