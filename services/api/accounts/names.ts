import { addFormulaGuards } from '#shared/commands/formula-guards.ts';

export const NAME_RULE = 'de 1 a 64 caracteres visibles, sin espacios';

/**
 * Returns the name of a user or an account as it is stored, or undefined for one that is not allowed. Headers lose blanks
 * at the ends, so a user name has none. An account's default name is a user name, so the same rule applies.
 */
export function validName(text: string): string | undefined {
  const composed = text.normalize('NFC');
  return /^[^\p{C}\p{Z}]{1,64}$/u.test(composed) ? composed : undefined;
}

/**
 * Returns the name of a new user or account, or the rule that it breaks, in Spanish. A name with a formula guard would be
 * another one in our files of passwords, users and usage. Commands still take such names of earlier releases.
 */
export function newName(text: string): { name: string } | { broken: string } {
  const name = validName(text);
  if (name === undefined) return { broken: `debe tener ${NAME_RULE}` };
  if (addFormulaGuards(name) === name) return { name };
  return {
    broken: 'no admite = + - @ al principio ni tras ;, porque una hoja de calculo lo tomaria por una formula',
  };
}
