import { type JudgedPickup, type PickupChange, scanCounts } from '#shared/pickups/pickup.ts';
import type { EventBody } from '#shared/tracking/event-model.ts';

/** Pure rules of scans: what the events of its guides make of a pick-up (docs/contract.md "Pick-ups"). */

/** A pick-up that scans may end. */
export type AwaitingScans = Pick<JudgedPickup, 'status' | 'createdUtc' | 'failed'> & {
  guides: readonly string[];
  manifest?: string | undefined;
};

/** Types of events by which the carrier has a parcel. */
const HAS_PARCEL: ReadonlySet<string> = new Set([
  'Recolectado',
  'EnTransito',
  'EnSucursal',
  'EnReparto',
  'Entregado',
  'Devuelto',
]);

/**
 * Returns how scans end a pick-up; undefined if they do not. One guide of many that somebody took to a counter does not: the van
 * is to come for the others.
 *
 * @param events all events of its guides, in any order.
 */
export function endByScans(pickup: AwaitingScans, events: readonly EventBody[]): PickupChange | undefined {
  const annulled = new Set(events.flatMap(({ Guia, Anula }) => (Anula ? [`${Guia} ${Anula}`] : [])));
  const scans = events
    .filter(({ Tipo, Guia, Id }) => HAS_PARCEL.has(Tipo) && !annulled.has(`${Guia} ${Id}`))
    .map(({ Guia, Ocurrido, Manifiesto }) => ({ Guia, Manifiesto, at: Date.parse(Ocurrido) }))
    .filter(({ at }) => scanCounts(pickup, new Date(at)));
  const ofManifest = scans.filter(
    ({ Manifiesto }) => pickup.manifest !== undefined && Manifiesto === pickup.manifest,
  );
  if (ofManifest.length > 0) return collected(Math.min(...ofManifest.map(({ at }) => at)));
  const cancelled = new Set(events.flatMap(({ Tipo, Guia }) => (Tipo === 'Cancelacion' ? [Guia] : [])));
  const wanted = pickup.guides.filter((guide) => !cancelled.has(guide));
  if (wanted.length === 0) return pickup.status === 'Fallida' ? undefined : withoutGuides(events);
  const firstOf = new Map<string, number>();
  for (const { Guia, at } of scans) firstOf.set(Guia, Math.min(at, firstOf.get(Guia) ?? at));
  if (!wanted.every((guide) => firstOf.has(guide))) return undefined;
  return collected(Math.max(...wanted.map((guide) => firstOf.get(guide) as number)));
}

function collected(at: number): PickupChange {
  return { to: 'Recolectada', occurred: new Date(at) };
}

function withoutGuides(events: readonly EventBody[]): PickupChange {
  const moments = events
    .filter(({ Tipo }) => Tipo === 'Cancelacion')
    .map(({ Ocurrido }) => Date.parse(Ocurrido));
  return { to: 'Cancelada', reason: 'sin_guias', occurred: new Date(Math.max(...moments)) };
}
