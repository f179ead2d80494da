import { stemmer } from '@orama/stemmers/spanish';
import MiniSearch from 'minisearch';
import type { Chapter } from './chapters.ts';

/** Longest text that is searched for. */
export const MAX_QUERY = 100;
const MAX_RESULTS = 30;
/** Characters of a section that a result shows. */
const EXCERPT = 180;
/** Words from this length on are also found by their beginning. */
const PREFIX_FROM = 3;
/** Words from this length on are also found with letters wrong: as many as this share of their length, rounded. */
const FUZZY_FROM = 6;
const FUZZY_SHARE = 0.2;
/** What a section of a chapter counts for beside one of the reference: people look for how before they look up. */
const CHAPTER_BOOST = 4;
/** Words that say nothing about what is looked for, without accents. */
const EMPTY_WORDS = new Set(
  'a al como con cual cuando de del donde el en es la las lo los me mi mis o para por que se si su sus un una y'.split(
    ' ',
  ),
);

/** A section that was found, with its text around the first word. */
export type Found = { path: string; chapter: string; title: string; excerpt: string };

type Indexed = Omit<Found, 'excerpt'> & { id: number; text: string; keywords: string; isReference: boolean };

export type Search = {
  find(query: string): Promise<Found[]>;
  /** Fills the index, which the first search does otherwise. */
  prepare(): void;
};

/**
 * Makes a search that finds the sections with the words of a query: in any form of a word, by the words under which a
 * chapter is also looked for, and if no section has them all, by some of them. First comes the heading that a query names,
 * such as a code or an operation; then chapters before the reference.
 *
 * The index is filled when it is needed, some sections in a turn of the event loop: a quarter of the CPU of a start otherwise.
 */
export function searchOf(chapters: readonly Chapter[]): Search {
  const sections = chapters.flatMap((chapter) => sectionsOf(chapter));
  // The guide has each of its words many times.
  const stems = new Map<string, string | null>();
  const knownStemOf = (word: string) => {
    if (!stems.has(word)) stems.set(word, stemOf(word));
    return stems.get(word);
  };
  const index = new MiniSearch<Indexed>({
    fields: ['title', 'chapter', 'keywords', 'text'],
    tokenize: wordsOf,
    processTerm: knownStemOf,
    searchOptions: { processTerm: stemOf }, // readers could fill the memory with their words
  });
  let filled: Promise<void> | undefined;
  const fill = () => {
    filled ??= index
      .addAllAsync(sections.map((section, id) => ({ ...section, id })))
      .then(() => stems.clear());
    return filled;
  };
  const match = (query: string, combineWith: 'AND' | 'OR') =>
    index.search(query, {
      combineWith,
      boost: { title: 4, keywords: 4, chapter: 2 },
      prefix: (term) => term.length >= PREFIX_FROM,
      fuzzy: (term) => (term.length >= FUZZY_FROM ? FUZZY_SHARE : false),
      boostDocument: (id) => (sections[id]?.isReference ? 1 : CHAPTER_BOOST),
    });
  const findSections = async (sought: string): Promise<Found[]> => {
    await fill();
    const query = sought.slice(0, MAX_QUERY);
    const all = match(query, 'AND');
    const found = all.length > 0 ? all : match(query, 'OR');
    const named = plain(query.trim());
    const isNamed = ({ id }: { id: number }) => plain(sections[id]?.title ?? '').split(' ')[0] === named;
    const [first, others] = [found.filter(isNamed), found.filter((each) => !isNamed(each))];
    return [...first, ...others].slice(0, MAX_RESULTS).flatMap(({ id, terms }) => {
      const { path, chapter, title, text } = sections[id] as Omit<Indexed, 'id'>;
      return [{ path, chapter, title, excerpt: excerptOf(text, terms) }];
    });
  };
  return { find: findSections, prepare: () => void fill() };
}

function sectionsOf({
  path,
  title: chapter,
  sections,
  keywords,
  isReference,
}: Chapter): Omit<Indexed, 'id'>[] {
  return sections.map(({ id, title, depth, text }) => ({
    ...{ path: depth === 1 ? path : `${path}#${id}`, chapter, title, text },
    keywords: depth === 1 ? keywords : '',
    // People who look for errors shall find their chapter.
    isReference: isReference && (depth > 1 || keywords === ''),
  }));
}

/** Returns the words of a text. An identifier is a word, and so is each of its parts. */
function wordsOf(text: string): string[] {
  return (text.match(/[\p{L}\p{N}_]+/gu) ?? []).flatMap((word) => {
    const parts = word.split(/_|(?<=\p{Ll})(?=\p{Lu})/u).filter(Boolean);
    return parts.length > 1 ? [word, ...parts] : [word];
  });
}

/** Returns what all forms of a word share, whether they are typed with accents or without; null for an empty word. */
function stemOf(word: string): string | null {
  const unaccented = plain(word);
  if (EMPTY_WORDS.has(unaccented)) return null;
  // The stemmer knows the ending by its accent.
  return plain(stemmer(unaccented.replace(/ion$/, 'ión'))).replace(/s$/, ''); // it leaves `tokens`
}

/** Returns a text without case and accents. Each character keeps its place, so that an excerpt fits the original. */
function plain(text: string): string {
  return [...text].map((character) => character.normalize('NFD')[0]?.toLowerCase() ?? '').join('');
}

/** Returns the text around the first word with one of these stems, or its beginning. */
function excerptOf(text: string, stems: readonly string[]): string {
  const words = [...plain(text).matchAll(/[\p{L}\p{N}_]+/gu)];
  const at = words.find(([word]) => stems.some((stem) => word.startsWith(stem)))?.index ?? 0;
  const start = at > EXCERPT / 2 ? text.indexOf(' ', at - EXCERPT / 2) + 1 : 0;
  const end = text.length > start + EXCERPT ? text.lastIndexOf(' ', start + EXCERPT) : text.length;
  return `${start > 0 ? '… ' : ''}${text.slice(start, end)}${end < text.length ? ' …' : ''}`;
}
