import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the folder of what a room builds. */
export function builtFolder(room: string): string {
  return join(import.meta.dirname, '../built', room);
}

/**
 * Reads what a room has built, by the names of the files.
 *
 * @throws Error if nothing is built, with the command that builds it.
 */
export function readBuiltFiles(room: string): ReadonlyMap<string, Buffer> {
  const folder = builtFolder(room);
  try {
    return new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
  } catch (cause) {
    throw new Error(`${folder} is missing, or cannot be read: npm run build makes it`, { cause });
  }
}
