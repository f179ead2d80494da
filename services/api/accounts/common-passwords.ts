import { dictionary } from '@zxcvbn-ts/language-common';

/** Words of Mexico and of shipping that the international list lacks; without accents. */
const SPANISH = [
  'administrador',
  'bienvenido',
  'bienvenidos',
  'empresa',
  'etiqueta',
  'etiquetas',
  'guadalajara',
  'guiasdeenvio',
  'mensajeria',
  'micontrasena',
  'miclave',
  'monterrey',
  'paqueteria',
  'sucursal',
  'teamomucho',
  'tequieromucho',
  'vivamexico',
];
const COMMON = new Set([...dictionary['passwords-common'], ...SPANISH]);
/** Shortest password without its ornaments. */
const MIN_CORE = 4;

/**
 * Returns whether a password is one of some 49 000 common ones, also with capitals, accents, repetition, and digits
 * or signs at its ends.
 */
export function isCommonPassword(password: string): boolean {
  const plain = password.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  const once = plain.replace(/^(.+?)\1+$/su, '$1');
  const core = once.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  return core.length < MIN_CORE || [plain, once, core].some((one) => COMMON.has(one));
}
