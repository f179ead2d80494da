import type { EventBody } from '#shared/tracking/event-model.ts';

type Weighing = EventBody & { Peso: number };
/** Weighings of one package, or of all packages at once, and the one of them that counts. */
type Tally = { weighings: Weighing[]; counting?: Weighing | undefined };

/**
 * Finds the weighing that counts of each package, event by event, in whatever order they come (docs/contract.md "Quotes").
 * A further event needs no look at those before it, unless it annuls one that counts.
 */
export class Weighings {
  readonly #packages: number;
  /** By package; of all at once under undefined. */
  readonly #tallies = new Map<number | undefined, Tally>();
  readonly #annulled = new Set<string>();

  constructor(events: Iterable<EventBody>, packages: number) {
    this.#packages = packages;
    for (const event of events) this.add(event);
  }

  /** Ignores other events. */
  add(event: EventBody): void {
    if (event.Tipo === 'Anulacion') this.#annul(event.Anula ?? '');
    else if (isWeighing(event)) {
      const tally = this.#tallies.get(event.Paquete) ?? { weighings: [] };
      this.#tallies.set(event.Paquete, tally);
      tally.weighings.push(event);
      this.#count(tally, event);
    }
  }

  get isEmpty(): boolean {
    return this.#tallies.size === 0;
  }

  /** The weighing that counts of each package; undefined if it was not weighed. */
  get counting(): (Weighing | undefined)[] {
    const ofAll = this.#tallies.get(undefined)?.counting;
    return Array.from({ length: this.#packages }, (_, i) =>
      laterOf(this.#tallies.get(i + 1)?.counting, ofAll),
    );
  }

  #count(tally: Tally, weighing: Weighing): void {
    if (!this.#annulled.has(weighing.Id)) tally.counting = laterOf(tally.counting, weighing);
  }

  #annul(id: string): void {
    this.#annulled.add(id);
    for (const tally of this.#tallies.values()) {
      if (tally.counting?.Id !== id) continue;
      tally.counting = undefined;
      for (const weighing of tally.weighings) this.#count(tally, weighing);
    }
  }
}

export function isWeighing(event: EventBody): event is Weighing {
  return event.Tipo === 'Pesaje';
}

/** Of two of one moment the greater Id counts. */
function laterOf(one: Weighing | undefined, other: Weighing | undefined): Weighing | undefined {
  if (!one || !other) return one ?? other;
  if (one.Ocurrido !== other.Ocurrido) return one.Ocurrido > other.Ocurrido ? one : other;
  return one.Id > other.Id ? one : other;
}
