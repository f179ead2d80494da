import {
  EVENT_TYPE_NAMES,
  GUIDE_STATUSES,
  type GuideStatus,
  isStateEvent,
  STATE_EVENTS,
  STATES,
  type StateEvent,
} from '#shared/guides/event-types.ts';
import type { EventBody } from '#shared/tracking/event-model.ts';

export type Fact = Pick<EventBody, 'Id' | 'Tipo' | 'Ocurrido' | 'Paquete' | 'Anula'>;
type StateFact = Fact & { Tipo: StateEvent };
/** Events of one package, or of all packages at once: those that count are the first final one and the last one. */
type Tally = { events: StateFact[]; final?: StateFact | undefined; last?: StateFact | undefined };

/** A guide has the first of these states that one of its packages has. */
const PRECEDENCE = [...GUIDE_STATUSES.filter((status) => STATES[status].prevails), ...GUIDE_STATUSES];

/**
 * Computes SEND_ESTATUS of a guide event by event, whatever the order in which they come (docs/contract.md "Events"). A
 * further event needs no look at those before it, unless it annuls one that counts.
 */
export class GuideProgress<Event extends Fact = Fact> {
  readonly #packages: number;
  readonly #tallies = new Map<Fact['Paquete'], Tally>();
  readonly #annulled = new Set<string>();
  #isCancelled = false;
  /** The status by the events so far, once somebody has asked for it. */
  #status: GuideStatus | undefined;

  constructor(events: Iterable<Event>, packages: number) {
    this.#packages = packages;
    for (const event of events) this.add(event);
  }

  /** Ignores event types of later releases. */
  add(event: Fact): void {
    if (event.Tipo === 'Cancelacion') this.#isCancelled = true;
    else if (event.Tipo === 'Anulacion') this.#annul(event.Anula ?? '');
    else if (isStateFact(event)) {
      this.#status = undefined;
      const tally = this.#tallies.get(event.Paquete) ?? { events: [] };
      this.#tallies.set(event.Paquete, tally);
      tally.events.push(event);
      this.#count(tally, event);
    }
  }

  get status(): GuideStatus {
    if (this.#isCancelled) return 'Cancelado';
    this.#status ??= this.#leastAdvanced();
    return this.#status;
  }

  #leastAdvanced(): GuideStatus {
    const ofAll = this.#tallies.get(undefined);
    const own = [...this.#tallies.values()].filter((tally) => tally !== ofAll);
    const states = new Set(own.map((tally) => packageState(ofAll, tally)));
    // All packages without an event of their own have the same state.
    if (own.length < this.#packages) states.add(packageState(ofAll));
    return PRECEDENCE.find((state) => states.has(state)) as GuideStatus;
  }

  /** Returns the event that gives a package its state; undefined before its first one. */
  countingEvent(number: number): (Event & { Tipo: StateEvent }) | undefined {
    const counting = countingOf(this.#tallies.get(undefined), this.#tallies.get(number));
    return counting as (Event & StateFact) | undefined;
  }

  #count(tally: Tally, event: StateFact): void {
    if (this.#annulled.has(event.Id)) return;
    tally.last = laterOf(tally.last, event);
    if (STATE_EVENTS[event.Tipo].isFinal) tally.final = firstFinal(tally.final, event);
  }

  #annul(id: string): void {
    this.#annulled.add(id);
    this.#status = undefined;
    for (const tally of this.#tallies.values()) {
      if (tally.final?.Id !== id && tally.last?.Id !== id) continue;
      tally.final = tally.last = undefined;
      for (const event of tally.events) this.#count(tally, event);
    }
  }
}

function packageState(ofAll: Tally | undefined, own?: Tally): GuideStatus {
  return countingOf(ofAll, own)?.Tipo ?? 'Documentado';
}

/** Of the events of all packages and those of one: the first final one holds, else the last one. */
function countingOf(ofAll: Tally | undefined, own: Tally | undefined): StateFact | undefined {
  return firstFinal(ofAll?.final, own?.final) ?? laterOf(ofAll?.last, own?.last);
}

function firstFinal(one: StateFact | undefined, other: StateFact | undefined): StateFact | undefined {
  if (!one || !other) return one ?? other;
  if (one.Ocurrido === other.Ocurrido) return laterOf(one, other);
  return one.Ocurrido < other.Ocurrido ? one : other;
}

function laterOf(one: StateFact | undefined, other: StateFact | undefined): StateFact | undefined {
  if (!one || !other) return one ?? other;
  if (one.Ocurrido !== other.Ocurrido) return one.Ocurrido > other.Ocurrido ? one : other;
  return EVENT_TYPE_NAMES.indexOf(one.Tipo) >= EVENT_TYPE_NAMES.indexOf(other.Tipo) ? one : other;
}

function isStateFact(event: Fact): event is StateFact {
  return isStateEvent(event.Tipo);
}
