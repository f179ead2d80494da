import { MAX_CREDENTIAL } from '#shared/accounts/login.ts';
import { isCommonPassword } from './common-passwords.ts';

/** Shortest password, in characters (docs/contract.md "Authentication"). */
export const MIN_PASSWORD = 12;
/** Longest password, in bytes, as a login accepts. */
export const MAX_PASSWORD = MAX_CREDENTIAL;

/** Days in which a one-time password can be exchanged. */
export const ONE_TIME_DAYS = 30;

/** Returns the rule that a new password breaks, in Spanish, to follow the name of a field; undefined for a good one. */
export function brokenPasswordRule(password: string): string | undefined {
  if ([...password].length < MIN_PASSWORD) return `debe tener al menos ${MIN_PASSWORD} caracteres`;
  if (Buffer.byteLength(password) > MAX_PASSWORD) return `debe tener ${MAX_PASSWORD} bytes como maximo`;
  if (/\p{Cc}|^ | $/u.test(password)) {
    return 'no admite caracteres de control, ni espacios al principio o al final: se envia en un header';
  }
  // Half of a surrogate pair, or what stands for bytes that are no UTF-8: no login would send it so.
  if (/[\p{Cs}\uFFFD]/u.test(password)) return 'tiene un caracter roto: debe ser texto Unicode, en UTF-8';
  if (isCommonPassword(password)) return 'es de las comunes, que se adivinan primero: elija otra';
  return undefined;
}
