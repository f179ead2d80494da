import { dictionary } from '@zxcvbn-ts/language-common';

/** Words of this country and trade, which the international list does not have; without accents. */
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
/** What is left of a password without its ornaments has at least so many characters. */
const MIN_CORE = 4;

/**
 * Tells whether a password is one of some 49 000 common ones, or one of them with ornaments: capitals, accents, digits and
 * signs at its ends, the same again and again. With only those, nearly all of the list would be shorter than is allowed.
 */
export function isCommonPassword(password: string): boolean {
  const plain = password.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  const once = plain.replace(/^(.+?)\1+$/su, '$1');
  const core = once.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  return core.length < MIN_CORE || [plain, once, core].some((one) => COMMON.has(one));
}
