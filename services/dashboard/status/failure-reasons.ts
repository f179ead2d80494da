import { isTransientError } from '#shared/stores/transient-errors.ts';

/** The label worker's errors by their codes: BullMQ keeps an error's message alone, and a `DomainError`'s is its code. */
const BY_CODE: Readonly<Record<string, string>> = {
  'label-unprintable': 'Los datos de la etiqueta no se pueden imprimir',
  'payload-invalid': 'El trabajo no trae una etiqueta válida: ¿api y label-worker de versiones distintas?',
  'browser-failed': 'Chromium falló o tardó demasiado',
  'image-failed': 'El hilo que dibuja PNG y ZPL falló o tardó demasiado',
};
/** Errors of BullMQ and of Redis, which have no code here, by how their messages begin. */
const BY_BEGINNING = [
  // The label worker's `maxStalledCount` forgives two of them.
  ['job stalled more than allowable limit', 'El worker que la imprimía se detuvo, tres veces'],
  ['OOM ', 'Redis está lleno'],
] as const;

/**
 * Explains a failed job's error in plain words. The message of an unknown error is not shown, as it may quote a field of
 * the guide; the worker's log has it, under the request's id.
 */
export function explainFailure(error: string): string {
  if (Object.hasOwn(BY_CODE, error)) return BY_CODE[error] as string;
  const known = BY_BEGINNING.find(([beginning]) => error.startsWith(beginning));
  if (known) return known[1];
  if (isTransientError(new Error(error))) return 'Redis no respondió';
  return 'Error inesperado: búsquelo en el registro del label-worker por la solicitud';
}
