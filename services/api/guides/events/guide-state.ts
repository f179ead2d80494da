import { EVENT_TYPES, type GuideStatus } from '#shared/contracts/event.ts';
import type { Told } from '#shared/stores/event-log.ts';

export type Fact = Pick<Told, 'Id' | 'Tipo' | 'Ocurrido' | 'Paquete' | 'Anula'>;

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

/** Returns SEND_ESTATUS of a guide from all its events, whatever the order in which they came (docs/contract.md "Events"). */
export function guideState(events: readonly Fact[], packages: number): GuideStatus {
  if (events.some(({ Tipo }) => Tipo === 'Cancelacion')) return 'Cancelado';
  const annulled = annulledBy(events);
  const counting = events.filter(({ Id, Tipo }) => Tipo !== 'Anulacion' && !annulled.has(Id));
  const byPackage = Map.groupBy(counting, ({ Paquete }) => Paquete);
  const ofAll = byPackage.get(undefined) ?? [];
  byPackage.delete(undefined);
  const states = [...byPackage.values()].map((own) => packageState([...ofAll, ...own]));
  // All packages without an event of their own have the same state.
  if (byPackage.size < packages) states.push(packageState(ofAll));
  if (states.includes('Incidencia')) return 'Incidencia';
  return PROGRESS.find((state) => states.includes(state)) ?? 'Documentado';
}

/** Returns the type of the event that occurred last, but of none after the first that is final. */
function packageState(events: readonly Fact[]): GuideStatus {
  const ends = events.filter(({ Tipo }) => FINAL.includes(Tipo)).map(({ Ocurrido }) => Ocurrido);
  const end = ends.toSorted()[0];
  let last: Fact | undefined;
  for (const event of events) {
    if (end !== undefined && event.Ocurrido > end) continue;
    if (!last || isLater(event, last)) last = event;
  }
  return (last?.Tipo as GuideStatus | undefined) ?? 'Documentado';
}

function isLater(one: Fact, other: Fact): boolean {
  if (one.Ocurrido !== other.Ocurrido) return one.Ocurrido > other.Ocurrido;
  return rankOf(one) > rankOf(other);
}

function rankOf({ Tipo }: Fact): number {
  return RANKS.get(Tipo) ?? -1;
}
