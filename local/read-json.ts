import { readFileSync } from 'node:fs';
import { SetupError } from './setup-error.ts';

/**
 * Reads an object that a program of ours wrote to a file, in JSON. Returns undefined if there is no file.
 * @param advice what to do about a damaged file, such as one that a full disk has cut.
 * @throws SetupError with the file's name and the advice for a damaged file.
 */
export function readJson<T extends object>(file: string, advice: string): T | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return parseObject<T>(text, `${file} ${advice}`);
}

/** Parses an object in JSON. @throws SetupError with `problem` if it is none. */
export function parseObject<T extends object>(text: string, problem: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // as any other text that is no object
  }
  if (typeof value === 'object' && value !== null) return value as T;
  throw new SetupError(problem);
}
