import type { Chapter } from './chapters.ts';

/** Longest text that is searched for. */
export const MAX_QUERY = 100;
const MAX_RESULTS = 30;
/** Characters of a section that a result shows. */
const EXCERPT = 180;

/** A section that was found, with its text around the first word. */
export type Found = { path: string; chapter: string; title: string; excerpt: string };

/**
 * Returns a function that finds the sections with every word, without regard to case and accents. First come headings
 * that begin with the query as a word, then headings with the words, then texts.
 */
export function searchOf(chapters: readonly Chapter[]): (query: string) => Found[] {
  const sections = chapters.flatMap(({ path, title: chapter, sections }) =>
    sections.map(({ id, title, depth, text }) => ({
      ...{ path: depth === 1 ? path : `${path}#${id}`, chapter, title, text },
      ...{ plainTitle: plain(title), plainText: plain(text) },
    })),
  );
  return (query) => {
    const words = plain(query.slice(0, MAX_QUERY)).split(/\s+/).filter(Boolean);
    if (words.length === 0) return [];
    const phrase = words.join(' ');
    const rankOf = ({ plainTitle, plainText }: (typeof sections)[number]) => {
      if (plainTitle.split(' ')[0] === phrase || plainTitle === phrase) return 0;
      if (words.every((word) => plainTitle.includes(word))) return 1;
      if (plainText.includes(phrase)) return 2;
      return words.every((word) => plainTitle.includes(word) || plainText.includes(word)) ? 3 : undefined;
    };
    return sections
      .flatMap((section) => {
        const rank = rankOf(section);
        return rank === undefined ? [] : [{ rank, section }];
      })
      .toSorted((a, b) => a.rank - b.rank)
      .slice(0, MAX_RESULTS)
      .map(({ section: { path, chapter, title, text, plainText } }) => ({
        ...{ path, chapter, title },
        excerpt: excerptOf(text, plainText.indexOf(words.find((word) => plainText.includes(word)) ?? '')),
      }));
  };
}

/** Returns a text without case and accents. Each character keeps its place, so that an excerpt fits the original. */
function plain(text: string): string {
  return [...text].map((character) => character.normalize('NFD')[0]?.toLowerCase() ?? '').join('');
}

function excerptOf(text: string, at: number): string {
  const start = at > EXCERPT / 2 ? text.indexOf(' ', at - EXCERPT / 2) + 1 : 0;
  const end = text.length > start + EXCERPT ? text.lastIndexOf(' ', start + EXCERPT) : text.length;
  return `${start > 0 ? '… ' : ''}${text.slice(start, end)}${end < text.length ? ' …' : ''}`;
}
