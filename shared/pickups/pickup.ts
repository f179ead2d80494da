import { type Static, Type } from 'typebox';
import { Guide, kindsIn, SENT } from '../guides/guide.ts';
import { CLOCKS_DIFFER_MS } from '../tracking/event.ts';

/** A pick-up: a customer asks the carrier to come for parcels (docs/contract.md "Pick-ups"). */

/** `R`, ten random digits, and the check digit of a guide's number. */
export const PICKUP_NUMBER = '^R[0-9]{11}$';

/** Returns whether a pick-up belongs to a test account: its digits begin with 0, as those of its guides. */
export function isTestPickup(number: string): boolean {
  return number.startsWith('R0');
}

/** In the order in which they follow one another; the last three end a pick-up. */
export const PICKUP_STATES = ['Solicitada', 'Programada', 'Recolectada', 'Fallida', 'Cancelada'] as const;
export type PickupState = (typeof PICKUP_STATES)[number];
/** The van is still to come. */
export const OPEN_STATES = ['Solicitada', 'Programada'] as const satisfies PickupState[];

export function isOpen(state: PickupState): boolean {
  return state === 'Solicitada' || state === 'Programada';
}

/** Most open pick-ups of an account: one customer alone does not take every place of a branch. */
export const MAX_OPEN = 50;

/** Why the van came in vain, or did not come. */
export const FAILURE_REASONS = [
  'nadie_atendio',
  'cerrado',
  'direccion_incorrecta',
  'paquetes_no_listos',
  'no_caben',
  'sin_vehiculo',
  'otro',
] as const;
/** Only the service gives this reason: nobody told what became of the pick-up. */
export const NO_NEWS = 'sin_noticias';
/** Who cancelled, or that all guides were. */
export const CANCELLATION_REASONS = ['cliente', 'transportista', 'sin_guias'] as const;
export const PICKUP_REASONS = [...FAILURE_REASONS, NO_NEWS, ...CANCELLATION_REASONS] as const;
export type PickupReason = (typeof PICKUP_REASONS)[number];

/**
 * How long after its window scans may still say what became of a pick-up, in ms. Then an open one ends with `NO_NEWS`, and one
 * that failed stays so.
 */
export const LATE_MS = 14 * 24 * 3_600_000;

/** A pick-up whose change is judged. `failed`: when it failed, if its state is `Fallida`. */
export type JudgedPickup = {
  status: PickupState;
  createdUtc: Date;
  endsAt: Date;
  failed?: Date | undefined;
};
/** A change that somebody or something tells. `occurred`: when it happened. */
export type PickupChange = { to: PickupState; occurred: Date; reason?: PickupReason };

/**
 * Judges a change of a pick-up. The order in which changes arrive may differ from that in which they happened: a scan that
 * happened before the van was said to have come in vain counts, though it arrives later.
 *
 * @param now when it arrives.
 * @returns `repeated` if the pick-up is in that state already, `refused` if it has ended otherwise, or is further on; `before`
 * if the change occurred before the pick-up was asked for.
 */
export function judgeChange(
  pickup: JudgedPickup,
  { to, occurred }: PickupChange,
  now: Date,
): 'new' | 'repeated' | 'refused' | 'before' {
  const { status, endsAt } = pickup;
  if (isBefore(pickup, occurred)) return 'before';
  if (to === status) return 'repeated';
  if (isOpen(status)) return to === 'Solicitada' ? 'refused' : 'new';
  const isLateScan = status === 'Fallida' && to === 'Recolectada' && scanCounts(pickup, occurred);
  return isLateScan && now.getTime() <= endsAt.getTime() + LATE_MS ? 'new' : 'refused';
}

/** Returns whether a scan is of this handover: those of before the request are of another one, those after a failure of a later one. */
export function scanCounts(pickup: Pick<JudgedPickup, 'createdUtc' | 'failed'>, occurred: Date): boolean {
  return !isBefore(pickup, occurred) && (pickup.failed === undefined || occurred <= pickup.failed);
}

function isBefore({ createdUtc }: Pick<JudgedPickup, 'createdUtc'>, occurred: Date): boolean {
  return occurred.getTime() < createdUtc.getTime() - CLOCKS_DIFFER_MS;
}

const sent = kindsIn(SENT);
/** Where to pick up, and whom to ask for: fields of a sender. One of the phones is required. */
const { Nombre, Telefono, Celular, Email, Colonia, Municipio, Estado, Numero_exterior, Numero_interior } =
  kindsOfSender();
export const PickupAddress = Type.Object(
  {
    Nombre,
    Telefono,
    Celular,
    Email,
    CodigoPostal: sent.postalCode('Código postal; su sucursal es la que recoge'),
    Estado,
    Municipio,
    Colonia,
    Calle: sent.text(120, 'Calle', 'Av. Reforma'),
    Numero_exterior,
    Numero_interior,
  },
  {
    additionalProperties: false,
    description: 'Dónde se recoge y por quién se pregunta. Lleva `Telefono` o `Celular`',
    anyOf: [{ required: ['Telefono'] }, { required: ['Celular'] }],
    'x-error': { campo: 'Telefono', code: 'field-required' },
  },
);
export type PickupAddress = Static<typeof PickupAddress>;

/** As a request may have them: `Guide` has the narrower rules of what is stored. */
function kindsOfSender() {
  const { Remitente } = Guide.properties;
  return { ...Remitente.properties, Telefono: phone('Teléfono fijo'), Celular: phone('Teléfono celular') };
}

function phone(description: string) {
  return Type.Optional(sent.phone(description));
}
