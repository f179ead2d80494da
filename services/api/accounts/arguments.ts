import { Argument } from 'commander';
import { PERMISSIONS, type Permission } from '#shared/auth/user-store.ts';
import { branchCode } from '#shared/contracts/branch.ts';

/** An argument that is wrong; the message is for the operator, and does not repeat what was typed. */
export class UsageError extends Error {}

export const PERMISSION_NAMES = PERMISSIONS.join(', ');
const NAME_RULE = 'de 1 a 64 caracteres visibles, sin espacios';

/** Makes the argument that names a user. No blanks: the name travels in a header, which loses them at its ends. */
export function usernameArgument(): Argument {
  return new Argument('<usuario>', NAME_RULE).argParser((name) => {
    const composed = name.normalize('NFC');
    if (/^[^\p{C}\p{Z}]{1,64}$/u.test(composed)) return composed;
    throw new UsageError(`El usuario debe tener ${NAME_RULE}`);
  });
}

/** Reads permissions that are separated by commas. */
export function parsePermissionList(names: string): Permission[] {
  return names.split(',').reduce<Permission[]>((before, name) => parsePermission(name, before), []);
}

/** Adds the permission of this name to those before it, as Commander's variadic arguments want it. */
export function parsePermission(name: string, before: Permission[] = []): Permission[] {
  const permission = PERMISSIONS.find((each) => each === name.trim());
  if (!permission) throw new UsageError(`Permiso desconocido. Los permisos son: ${PERMISSION_NAMES}`);
  return [...new Set([...before, permission])];
}

/** Reads a branch's code. Branches belong to another service, so only its form is checked here. */
export function parseOrigin(code: string): string {
  if (!/^[A-Z0-9]{2,20}$/.test(branchCode(code))) {
    throw new UsageError('El codigo de sucursal debe tener de 2 a 20 letras A-Z o digitos');
  }
  return branchCode(code);
}
