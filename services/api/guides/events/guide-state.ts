import { EVENT_TYPES, type GuideStatus } from '#shared/contracts/event.ts';
import type { Told } from '#shared/stores/event-log.ts';

export type Fact = Pick<Told, 'Id' | 'Tipo' | 'Ocurrido' | 'Paquete' | 'Anula'>;
/** Events of one package, or of all packages at once: those that count are the first final one and the last one. */
type Tally = { events: Fact[]; final?: Fact | undefined; last?: Fact | undefined };

/** How far a package is, from the least advanced on. */
const PROGRESS = [
  'Documentado',
  'Recolectado',
  'EnTransito',
  'EnSucursal',
  'EnReparto',
  'Devuelto',
  'Entregado',
] as const satisfies GuideStatus[];
/** After these only an annulment changes anything. */
const FINAL = ['Entregado', 'Devuelto'];
/** Their place in the list decides between events of the same moment. */
const RANKS = new Map<string, number>(EVENT_TYPES.map((type, rank) => [type, rank]));

/** Returns the ids of the events that others annul. An annulment itself cannot be annulled. */
export function annulledBy(events: readonly Fact[]): Set<string> {
  return new Set(events.flatMap(({ Tipo, Anula }) => (Tipo === 'Anulacion' && Anula ? [Anula] : [])));
}

/** Returns SEND_ESTATUS of a guide from all its events. */
export function guideState(events: Iterable<Fact>, packages: number): GuideStatus {
  return new GuideProgress(events, packages).status;
}

/**
 * Computes SEND_ESTATUS of a guide event by event, whatever the order in which they come (docs/contract.md "Events"). A further
 * event needs no look at those before it, unless it annuls one that counts.
 */
export class GuideProgress {
  readonly #packages: number;
  readonly #tallies = new Map<Fact['Paquete'], Tally>();
  readonly #annulled = new Set<string>();
  #isCancelled = false;

  constructor(events: Iterable<Fact>, packages: number) {
    this.#packages = packages;
    for (const event of events) this.add(event);
  }

  add(event: Fact): void {
    if (event.Tipo === 'Cancelacion') this.#isCancelled = true;
    else if (event.Tipo === 'Anulacion') this.#annul(event.Anula ?? '');
    else {
      const tally = this.#tallies.get(event.Paquete) ?? { events: [] };
      this.#tallies.set(event.Paquete, tally);
      tally.events.push(event);
      this.#count(tally, event);
    }
  }

  get status(): GuideStatus {
    if (this.#isCancelled) return 'Cancelado';
    const ofAll = this.#tallies.get(undefined);
    const own = [...this.#tallies.values()].filter((tally) => tally !== ofAll);
    const states = new Set(own.map((tally) => packageState(ofAll, tally)));
    // All packages without an event of their own have the same state.
    if (own.length < this.#packages) states.add(packageState(ofAll));
    if (states.has('Incidencia')) return 'Incidencia';
    return PROGRESS.find((state) => states.has(state)) ?? 'Documentado';
  }

  #count(tally: Tally, event: Fact): void {
    if (this.#annulled.has(event.Id)) return;
    tally.last = laterOf(tally.last, event);
    if (FINAL.includes(event.Tipo)) tally.final = firstFinal(tally.final, event);
  }

  #annul(id: string): void {
    this.#annulled.add(id);
    for (const tally of this.#tallies.values()) {
      if (tally.final?.Id !== id && tally.last?.Id !== id) continue;
      tally.final = tally.last = undefined;
      for (const event of tally.events) this.#count(tally, event);
    }
  }
}

/** Returns the state of a package by the events of all packages and its own: the first final one holds, else the last one. */
function packageState(ofAll: Tally | undefined, own?: Tally): GuideStatus {
  const counting = firstFinal(ofAll?.final, own?.final) ?? laterOf(ofAll?.last, own?.last);
  return (counting?.Tipo as GuideStatus | undefined) ?? 'Documentado';
}

function firstFinal(one: Fact | undefined, other: Fact | undefined): Fact | undefined {
  if (!one || !other) return one ?? other;
  if (one.Ocurrido === other.Ocurrido) return laterOf(one, other);
  return one.Ocurrido < other.Ocurrido ? one : other;
}

function laterOf(one: Fact | undefined, other: Fact | undefined): Fact | undefined {
  if (!one || !other) return one ?? other;
  if (one.Ocurrido !== other.Ocurrido) return one.Ocurrido > other.Ocurrido ? one : other;
  return rankOf(one) >= rankOf(other) ? one : other;
}

function rankOf({ Tipo }: Fact): number {
  return RANKS.get(Tipo) ?? -1;
}
