import { Argument } from 'commander';
import { Type } from 'typebox';
import { UsageError } from '#shared/commands/run-command-line.ts';
import { loadConfig } from '#shared/config/load-config.ts';
import { PERMISSIONS, type Permission } from '#shared/rooms.ts';
import { ApiConfig } from '../../config.ts';
import { localTimeFormatter } from '../../platform/local-time.ts';
import { NAME_RULE, newName, validName } from '../names.ts';
import { listed } from './user-words.ts';

export function usernameArgument(name: '<usuario>' | '[usuario]' = '<usuario>'): Argument {
  return new Argument(name, NAME_RULE).argParser(parseUsername);
}

export function parseUsername(name: string): string {
  return parseName('El usuario', name);
}

export function newUsernameArgument(): Argument {
  return new Argument('<usuario>', NAME_RULE).argParser((name) => parseNewName('El usuario', name));
}

export function parseNewAccount(name: string): string {
  return parseNewName('La cuenta', name);
}

function parseNewName(what: string, name: string): string {
  const parsed = newName(name);
  if ('name' in parsed) return parsed.name;
  throw new UsageError(`${what} ${parsed.broken}`);
}

export function parseAccount(name: string): string {
  return parseName('La cuenta', name);
}

function parseName(what: string, name: string): string {
  const valid = validName(name);
  if (valid !== undefined) return valid;
  throw new UsageError(`${what} debe tener ${NAME_RULE}`);
}

export const PERMISSION_NAMES = PERMISSIONS.join(', ');

/** @throws UsageError */
export function parsePermission(name: string): Permission {
  const permission = PERMISSIONS.find((each) => each === name);
  if (permission) return permission;
  throw new UsageError(`Permiso desconocido. Los permisos son: ${PERMISSION_NAMES}`);
}

/** @param what begins the message about a text that is not an integer from 1 to `max`. */
export function parseInteger(text: string, max: number, what: string): number {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= max) return number;
  throw new UsageError(`${what} entero de 1 a ${max}`);
}

export function example(command: string): string {
  return `\nEjemplo:\n  npm run admin -- ${command}`;
}

/** Said after a change of a password. Whoever knew the former one may have made a key. */
export function keysStay(username: string): string {
  return `Siguen sus ${listed('ends')}: si alguien mas supo la contrasena de antes, use revoke ${username}`;
}

/** Returns the zone of TIME_ZONE, and a function that writes a moment in it as SEND_FECHA shows it. */
export function readTimeZone(): { timeZone: string; localTime: (moment: Date) => string } {
  const { TIME_ZONE } = loadConfig(Type.Pick(ApiConfig, ['TIME_ZONE']), process.env);
  return { timeZone: TIME_ZONE, localTime: localTimeFormatter(TIME_ZONE) };
}
