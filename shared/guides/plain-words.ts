/** Returns a text in lower case, without accents and repeated blanks: the same for each way in which people write it. */
export function plainWords(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().trim().replaceAll(/\s+/g, ' ');
}
