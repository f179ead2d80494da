import { isTransientError } from '#shared/stores/transient-errors.ts';

/** What a failed job's error begins with, and what that means to whoever was called. */
const REASONS: [RegExp, string][] = [
  [/^label-unprintable$/, 'Los datos de la etiqueta no se pueden imprimir'],
  [
    /^payload-invalid$/,
    'El trabajo no trae una etiqueta válida: ¿api y label-worker de versiones distintas?',
  ],
  [/^browser-failed$/, 'Chromium falló o tardó demasiado'],
  [/^job stalled more than allowable limit/, 'El worker que la imprimía se detuvo, dos veces'],
  [/^OOM /, 'Redis está lleno'],
];

/**
 * A failed job's error in plain words. The text of an error that is not known is not shown: it may quote a field of
 * the guide; the log has it, under the request's id.
 */
export function reasonOf(error: string): string {
  const known = REASONS.find(([begins]) => begins.test(error));
  if (known) return known[1];
  if (isTransientError(new Error(error))) return 'Redis no respondió';
  return 'Error inesperado: búsquelo en el registro del label-worker por la solicitud';
}
