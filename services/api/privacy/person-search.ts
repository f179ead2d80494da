import type { Guide } from '#shared/guides/guide.ts';
import {
  PERSON_SECTIONS,
  PERSONAL_DATA,
  type PersonSection,
  type SearchKind,
} from '#shared/guides/guide-model.ts';
import { plainWords } from '#shared/guides/plain-words.ts';
import { phoneDigits } from '#shared/phones/phone.ts';

export type PersonSearch = { by: SearchKind; wanted: string };

const NORMALIZED: Readonly<Record<SearchKind, (text: string) => string>> = {
  telefono: phoneDigits,
  correo: (text) => text.trim().toLowerCase(),
  nombre: plainWords,
};

export function personSearch(by: SearchKind, text: string): PersonSearch {
  return { by, wanted: NORMALIZED[by](text) };
}

export function isOfName({ by, wanted }: PersonSearch, name: string): boolean {
  return by === 'nombre' && NORMALIZED.nombre(name) === wanted;
}

/** Returns whether a text that people wrote freely names the person. */
export function mentions({ by, wanted }: PersonSearch, text: string): boolean {
  const normalized = NORMALIZED[by](text);
  if (by !== 'nombre') return normalized.includes(wanted);
  return ` ${wordsOf(normalized)} `.includes(` ${wordsOf(wanted)} `);
}

function wordsOf(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]+/gu, ' ').trim();
}

export function sectionsNaming({ by, wanted }: PersonSearch, guide: Guide): PersonSection[] {
  return (Object.keys(PERSON_SECTIONS) as PersonSection[]).filter((section) => {
    const fields: Record<string, string | undefined> = guide[section];
    return Object.entries(PERSONAL_DATA[section]).some(([name, kind]) => {
      const value = fields[name];
      return kind === by && value !== undefined && NORMALIZED[by](value) === wanted;
    });
  });
}
