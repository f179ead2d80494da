export const NAME_RULE = 'de 1 a 64 caracteres visibles, sin espacios';

/**
 * Returns the name of a user or an account as it is stored, or undefined for one that is not allowed. Headers lose blanks
 * at the ends, so a user name has none. An account's default name is a user name, so the same rule applies.
 */
export function validName(text: string): string | undefined {
  const composed = text.normalize('NFC');
  return /^[^\p{C}\p{Z}]{1,64}$/u.test(composed) ? composed : undefined;
}
