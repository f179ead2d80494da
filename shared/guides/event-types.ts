import type { ServiceType } from './guide.ts';

/** The steps of the tracking page, which most packages take. */
export const STEPS = ['Guía creada', 'Recolectado', 'En camino', 'En reparto', 'Entregado'] as const;

export type State = {
  title: string;
  /** What the state means, also in the integrators' guide. */
  sentence: string;
  look: 'normal' | 'bien' | 'atencion' | 'fin';
  /** `null` if the state is outside the steps. */
  step: (typeof STEPS)[number] | null;
  /** Words for the event that brought the state, if they differ from `title`. */
  event?: string;
  /** A guide has this state as soon as one of its packages has it. */
  prevails?: true;
};

/** The sides of a package that is weighed: all three, or none. */
export const SIDES = ['Largo', 'Alto', 'Ancho'] as const;
export const TYPE_FIELDS = ['Motivo', 'Anula', 'Recibe', 'Cobrado', 'Peso', ...SIDES] as const;
type TypeField = (typeof TYPE_FIELDS)[number];
type Fields = { requires?: TypeField; allows?: readonly TypeField[] };

type StateOfEvent = State &
  Fields & {
    /** How far a package is. A guide has the state of its least advanced package. */
    progress: number;
    /** Only an annulment changes the package's state afterwards. */
    isFinal?: true;
  };
const keyed = <Name extends string>(table: Record<Name, StateOfEvent>) => table;

/**
 * The types of events that give a guide a state. Everything else about a type follows from its entry. Of two events of
 * the same moment, the event that is later in this list counts.
 */
export const STATE_EVENTS = keyed({
  Recolectado: {
    progress: 1,
    title: 'Recolectado',
    sentence: 'Ya tenemos el paquete.',
    look: 'normal',
    step: 'Recolectado',
  },
  EnTransito: {
    progress: 2,
    title: 'En camino',
    sentence: 'El paquete viaja hacia su destino.',
    look: 'normal',
    step: 'En camino',
  },
  EnSucursal: {
    progress: 3,
    title: 'En camino',
    sentence: 'El paquete está de paso en una sucursal.',
    look: 'normal',
    step: 'En camino',
    event: 'Llegó a una sucursal, de paso',
  },
  EnReparto: {
    progress: 4,
    title: 'En reparto',
    sentence: 'El paquete va en camino a la puerta.',
    look: 'normal',
    step: 'En reparto',
    event: 'Salió a reparto',
  },
  Entregado: {
    progress: 7,
    isFinal: true,
    allows: ['Recibe', 'Cobrado'],
    title: 'Entregado',
    sentence: 'El paquete llegó a su destino.',
    look: 'bien',
    step: 'Entregado',
  },
  Incidencia: {
    progress: 5,
    prevails: true,
    requires: 'Motivo',
    title: 'Hubo un problema',
    sentence: 'Lo estamos resolviendo. Abajo está lo que pasó.',
    look: 'atencion',
    step: null,
  },
  Devuelto: {
    progress: 6,
    isFinal: true,
    requires: 'Motivo',
    title: 'Devuelto',
    sentence: 'El paquete regresó a quien lo envió.',
    look: 'fin',
    step: null,
    event: 'Devuelto a quien lo envió',
  },
});
export type StateEvent = keyof typeof STATE_EVENTS;

/** Words of `EnSucursal` at the destination branch: a parcel waits there to be picked up, or to be taken home. */
export const AT_DESTINATION: Readonly<Record<ServiceType, State>> = {
  'the service': {
    title: 'Listo para recoger',
    sentence: 'El paquete espera en la sucursal.',
    look: 'normal',
    step: 'En reparto',
    event: 'Llegó a la sucursal, listo para recoger',
  },
  Domicilio: {
    title: 'En la sucursal de reparto',
    sentence: 'El paquete llegó a la sucursal que lo lleva a la puerta.',
    look: 'normal',
    step: 'En camino',
    event: 'Llegó a la sucursal de reparto',
  },
};

/** The other types give no state, and are not on the tracking page. */
export const EVENT_TYPES: Readonly<Record<StateEvent | 'Anulacion' | 'Pesaje', Fields>> = {
  ...STATE_EVENTS,
  Anulacion: { requires: 'Anula' },
  Pesaje: { requires: 'Peso', allows: SIDES },
};
export type EventType = keyof typeof EVENT_TYPES;
export const EVENT_TYPE_NAMES = Object.keys(EVENT_TYPES) as EventType[];

/** What the feed and webhooks have: events, and beside them cancellations, and pictures that came to an event. */
export type FeedType = EventType | 'Cancelacion' | 'Evidencia';
export const FEED_TYPE_NAMES: readonly FeedType[] = [...EVENT_TYPE_NAMES, 'Cancelacion', 'Evidencia'];

export function typesWith(field: TypeField): EventType[] {
  return EVENT_TYPE_NAMES.filter((type) => {
    const { requires, allows = [] } = EVENT_TYPES[type];
    return field === requires || allows.includes(field);
  });
}

/** Returns whether a type gives a guide a state. Types of later releases do not. */
export function isStateEvent(type: string): type is StateEvent {
  return type in STATE_EVENTS;
}

/** The types that have words for customers. */
type WordedType = StateEvent | 'Cancelacion';

/** Returns whether an event has words for customers. */
export function hasWords<Event extends { Tipo: FeedType }>(
  event: Event,
): event is Event & { Tipo: WordedType } {
  return event.Tipo === 'Cancelacion' || isStateEvent(event.Tipo);
}

/** The values of SEND_ESTATUS. */
export type GuideStatus = 'Documentado' | StateEvent | 'Cancelado';
export const STATES: Readonly<Record<GuideStatus, State>> = {
  Documentado: {
    title: 'Guía creada',
    sentence: 'Todavía no recibimos el paquete.',
    look: 'normal',
    step: 'Guía creada',
  },
  ...STATE_EVENTS,
  Cancelado: { title: 'Guía cancelada', sentence: 'Este envío ya no se hará.', look: 'fin', step: null },
};
/**
 * Returns the words for an event, or for the state that it gives. At a branch they depend on the service and on which
 * branch it is. An event that names no branch is at the destination if the parcel is picked up.
 */
export function wordsOf(
  { Tipo, Sucursal }: { Tipo: WordedType; Sucursal?: string },
  parcel: { service: ServiceType; destination: { code: string } },
): State {
  const isAtDestination =
    Sucursal === undefined ? parcel.service !== 'Domicilio' : Sucursal === parcel.destination.code;
  if (Tipo === 'EnSucursal' && isAtDestination) return AT_DESTINATION[parcel.service];
  return STATES[Tipo === 'Cancelacion' ? 'Cancelado' : Tipo];
}

/** From the least advanced on. */
export const GUIDE_STATUSES: readonly GuideStatus[] = [
  'Documentado',
  ...(Object.keys(STATE_EVENTS) as StateEvent[]).toSorted(
    (one, other) => STATE_EVENTS[one].progress - STATE_EVENTS[other].progress,
  ),
  'Cancelado',
];
