import {
  AT_DESTINATION,
  type GuideStatus,
  STATES,
  type State,
  type StateEvent,
  wordsOf,
} from '#shared/guides/event-types.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import type { EventBody } from '#shared/tracking/event-model.ts';
import { REASONS } from '#shared/tracking/reasons.ts';
import type { GuideProgress } from '../guide-state.ts';

/** What the tracking page says of a guide and of its packages (docs/contract.md "Tracking page"). */

type Parcel = Pick<GuideDocument, 'service' | 'destination'>;
type Cities = ReadonlyMap<string, string>;
/** The last event that counts of each package, in order; undefined before a package's first one. */
export type PackageEvents = readonly (CountingEvent | undefined)[];
type CountingEvent = EventBody & { Tipo: StateEvent };
type Headline = State & { isReady: boolean };

/** Packages whose numbers a line names; of more it says how many. */
const MAX_NUMBERS = 5;
const LIST = new Intl.ListFormat('es-MX');

export function packageEvents(progress: GuideProgress<EventBody>, packages: number): PackageEvents {
  return Array.from({ length: packages }, (_, i) => progress.countingEvent(i + 1));
}

/**
 * Returns the words for a guide: those of its packages in the guide's state, of the least advanced one.
 *
 * @returns `isReady`: whether it waits to be picked up.
 */
export function headlineOf(
  status: GuideStatus,
  events: PackageEvents,
  parcel: Parcel,
  cities: Cities,
): Headline {
  const inState = events.filter((event) => event?.Tipo === status) as CountingEvent[];
  const moving = inState.filter((event) => wordsOf(event, parcel) === STATES.EnSucursal);
  const [least] = [...moving, ...inState];
  const state = least ? wordsOf(least, parcel) : STATES[status];
  const [place, ...otherPlaces] = new Set(moving.map(({ Sucursal }) => Sucursal));
  const city = otherPlaces.length === 0 ? cities.get(place ?? '') : undefined;
  return {
    ...state,
    title: withReason(state.title, inState),
    sentence: city === undefined ? state.sentence : `El paquete está de paso en ${city}.`,
    isReady: state === AT_DESTINATION['the service'],
  };
}

/** Adds the reason to a title, if all events have the same, and it is none of a later release. */
function withReason(title: string, events: readonly EventBody[]): string {
  const [reason, ...others] = new Set(events.map(({ Motivo }) => Motivo));
  if (!reason || reason === 'otro' || others.length > 0) return title;
  const words: string | undefined = REASONS[reason];
  if (!words) return title;
  return `${title}: ${words.charAt(0).toLowerCase()}${words.slice(1)}`;
}

/** Says of a guide of several packages how many are delivered, and where the others are; null before the first event. */
export function packagesSummary(events: PackageEvents, parcel: Parcel, cities: Cities) {
  if (events.length === 1 || events.every((event) => !event)) return null;
  const delivered = events.filter((event) => event?.Tipo === 'Entregado').length;
  const numbered = events.map((event, i) => ({ number: i + 1, ...packageLine(event, parcel, cities) }));
  const groups = Map.groupBy(numbered, ({ words, place }) => `${words}, ${place}`);
  return {
    title: `${delivered} de ${events.length} paquetes entregados`,
    lines: [...groups.values()].map((group) => ({
      which: numbersWords(group.map(({ number }) => number)),
      words: group[0]?.words ?? '',
      place: group[0]?.place,
    })),
  };
}

function packageLine(event: CountingEvent | undefined, parcel: Parcel, cities: Cities) {
  if (!event) return { words: 'Todavía no lo recibimos', place: undefined };
  const words = withReason(wordsOf(event, parcel).title, [event]);
  return { words, place: cities.get(event.Sucursal ?? '') };
}

function numbersWords(numbers: readonly number[]): string {
  if (numbers.length > MAX_NUMBERS) return `${numbers.length} paquetes`;
  return `${numbers.length === 1 ? 'Paquete' : 'Paquetes'} ${LIST.format(numbers.map(String))}`;
}
