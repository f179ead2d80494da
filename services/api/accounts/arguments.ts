import { Argument } from 'commander';
import { PERMISSIONS, type Permission } from '#shared/auth/user-store.ts';
import { branchCode } from '#shared/contracts/branch.ts';

/** A wrong argument; the message is for the operator, and does not repeat what was typed. */
export class UsageError extends Error {}

export const PERMISSION_NAMES = PERMISSIONS.join(', ');
export const NAME_RULE = 'de 1 a 64 caracteres visibles, sin espacios';

/** Makes the argument that names a user. A name has no blanks: it travels in a header, which loses them at its ends. */
export function usernameArgument(): Argument {
  return new Argument('<usuario>', NAME_RULE).argParser((name) => parseName('El usuario', name));
}

/** Parses the name of an account, which has the form of a user's, since that is its name by default. */
export function parseAccount(name: string): string {
  return parseName('La cuenta', name);
}

function parseName(what: string, name: string): string {
  const composed = name.normalize('NFC');
  if (/^[^\p{C}\p{Z}]{1,64}$/u.test(composed)) return composed;
  throw new UsageError(`${what} debe tener ${NAME_RULE}`);
}

/** Parses permissions that are separated by commas. */
export function parsePermissionList(names: string): Permission[] {
  return names.split(',').reduce<Permission[]>((before, name) => parsePermission(name, before), []);
}

/** Parses one of several permissions and adds it to those before it, as Commander's variadic arguments demand. */
export function parsePermission(name: string, before: Permission[] = []): Permission[] {
  const permission = PERMISSIONS.find((each) => each === name.trim());
  if (!permission) throw new UsageError(`Permiso desconocido. Los permisos son: ${PERMISSION_NAMES}`);
  return [...new Set([...before, permission])];
}

/** Parses a branch's code. Branches belong to another service, so only the code's form is checked. */
export function parseOrigin(code: string): string {
  if (!/^[A-Z0-9]{2,20}$/.test(branchCode(code))) {
    throw new UsageError('El codigo de sucursal debe tener de 2 a 20 letras A-Z o digitos');
  }
  return branchCode(code);
}
