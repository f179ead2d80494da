import { isPrintable, unprintable } from '#shared/contracts/label-charset.ts';
import type { ProblemList } from '#shared/errors.ts';
import { isObject } from './body.ts';

/** Most characters that a warning names, of those that the label does not print. */
const MAX_NAMED = 10;

/**
 * Adds a warning for each text of a guide that its labels print with dots (docs/contract.md "Guides").
 *
 * @param path that of the fields within the guide, with a dot at its end.
 */
export function addUnprintable(
  warnings: ProblemList,
  indice: number,
  fields: Record<string, unknown>,
  path = '',
): void {
  // `Object.entries` takes four times as long.
  for (const name in fields) {
    const value = fields[name];
    if (typeof value === 'string') {
      if (!isPrintable(value)) warnings.add(() => warning(indice, path + name, value));
    } else if (isObject(value)) addUnprintable(warnings, indice, value, `${name}.`);
  }
}

function warning(indice: number, campo: string, text: string) {
  const characters = unprintable(text).slice(0, MAX_NAMED).join(' ');
  return { indice, campo, code: 'text-unprintable', params: { characters } } as const;
}
