import type { EventBody } from '#shared/stores/event-model.ts';
import { annulledBy } from '#shared/stores/event-model.ts';

type Weighing = EventBody & { Peso: number };

/** Returns the weighing that counts of each package, in whatever order they came (docs/contract.md "Quotes"). */
export function countingWeighings(events: readonly EventBody[], packages: number): (Weighing | undefined)[] {
  const annulled = annulledBy(events);
  /** By package; of all at once under undefined. */
  const last = new Map<number | undefined, Weighing>();
  for (const event of events) {
    if (isWeighing(event) && !annulled.has(event.Id)) {
      last.set(event.Paquete, laterOf(last.get(event.Paquete), event) as Weighing);
    }
  }
  return Array.from({ length: packages }, (_, i) => laterOf(last.get(i + 1), last.get(undefined)));
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
