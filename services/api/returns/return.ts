/** Why a parcel goes back, as the shop tells; the words of the wire. */
export const RETURN_REASONS = [
  ...(['equivocado', 'danado', 'defectuoso'] as const),
  ...(['cambio', 'no_lo_quiere', 'garantia', 'otro'] as const),
] as const;

/** The facts of a guide (`GUIDES`) that tell of returns. */
export const RETURN_OF = 'DevolucionDe';
export const RETURNED_BY = 'Devolucion';

/** A return that nobody has scanned after so many days is cancelled. */
export const UNSCANNED_DAYS = 90;
/** How long a link lives, and how often a day it prints. */
export const LINK_DAYS = 30;
export const LINK_PRINTS_A_DAY = 20;
