import { closestName } from '../../http/closest-name.ts';

/** How names of colonias are compared. People write `Col. Juarez` for what the catalogue calls `Juárez`. */

/** First words that say what kind of place it is. They do not count. */
const KINDS = new Set([
  ...['col', 'colonia', 'fracc', 'frac', 'fraccionamiento', 'barrio', 'bo', 'pueblo', 'ejido'],
  ...['unidad', 'habitacional', 'u', 'h', 'uh', 'conjunto', 'condominio', 'residencial'],
]);
const ARTICLES = new Set(['de', 'del', 'el', 'la', 'las', 'lo', 'los', 'y']);
const LONG_FORMS: Readonly<Record<string, string>> = {
  amp: 'ampliacion',
  ampl: 'ampliacion',
  gral: 'general',
  sec: 'seccion',
  secc: 'seccion',
  sta: 'santa',
  sto: 'santo',
};

/**
 * Returns the comparable form of a name: its words in small letters, without accents, signs, remarks in parentheses,
 * articles and the kind of place. A name that has nothing else keeps its words.
 */
export function comparableName(name: string): string {
  const words = name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/\([^)]*\)/g, ' ')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => LONG_FORMS[word] ?? word);
  const named = words.slice(words.findIndex((word) => !KINDS.has(word) && !ARTICLES.has(word)));
  return named.filter((word) => !ARTICLES.has(word)).join(' ') || words.join(' ');
}

/**
 * Returns the colonia that a name most likely means: one with few other letters, or the one that has all its words.
 *
 * @param colonias names by their comparable form.
 */
export function closestColonia(
  comparable: string,
  colonias: ReadonlyMap<string, string>,
): string | undefined {
  const closest = closestName(comparable, colonias.keys());
  if (closest !== undefined) return colonias.get(closest);
  const words = comparable.split(' ');
  const having = [...colonias].filter(([known]) => words.every((word) => hasWord(known, word)));
  return having.length === 1 ? having[0]?.[1] : undefined;
}

/** Looks for the letters first: few names have them, and to cut each name into its words takes far longer. */
function hasWord(name: string, word: string): boolean {
  return name.includes(word) && name.split(' ').includes(word);
}
