import type { FeedType } from '../guides/event-types.ts';

/** The pictures that an event may have (docs/contract.md "Evidence"). */
export const PICTURE_NAMES = ['firma', 'foto1', 'foto2', 'foto3'] as const;
export type PictureName = (typeof PICTURE_NAMES)[number];

/** The types of events that a picture can prove: how a parcel, or a try to deliver it, ended. */
export const PROVEN_TYPES: readonly FeedType[] = ['Entregado', 'Incidencia', 'Devuelto'];

/** Largest picture that is taken, in bytes, and the largest that is kept. */
export const MAX_SENT_BYTES = 2 * 1024 * 1024;
export const MAX_KEPT_BYTES = 1024 * 1024;
/** Longest side of a picture that is kept, and of its copy for the proof of delivery, in pixels. */
export const KEPT_SIDE = 1_600;
export const PRINT_SIDE = 720;
/** Largest copy for the proof of delivery, in bytes: eight of them travel in one job of the label worker. */
export const MAX_PRINT_BYTES = 96 * 1024;

/** Returns where the api gives a picture to whoever may see it, under its own address. */
export function picturePath(guide: string, event: string, picture: string): string {
  return `/api/guias/${guide}/evidencia/${event}/${picture}`;
}

export function isPictureName(name: string): name is PictureName {
  return PICTURE_NAMES.some((known) => known === name);
}
