import { readFileSync } from 'node:fs';
import { renderMarkdown, type Section } from '#shared/pages/markdown.ts';
import { GUIDE_SUBJECTS, type RoomData } from '#shared/room-data.ts';
import { chooseLanguages } from './languages.ts';

/** Chapters in which people look up, by their names. */
const REFERENCE = /^(?:operaciones|errores|cambios)/;
/** The first line of a chapter's file says by which other words people look for it. */
const KEYWORDS = /^<!-- buscar: (.*) -->\n+/;

/** A chapter at `/api/docs` and this path, in HTML and in Markdown. Its first section is its title, with the text below. */
export type Chapter = {
  subject: string;
  name: string;
  path: string;
  title: string;
  /** The first sentence. */
  summary: string;
  content: string;
  markdown: string;
  keywords: string;
  /** Whether people look up in it, rather than read it. */
  isReference: boolean;
  sections: [Section, ...Section[]];
};

/**
 * Renders the chapters.
 *
 * @param rooms those whose chapters it renders, from the files of their names.
 * @param operations the Markdown of the operations of each resource, by name.
 * @param values in Markdown, replace `{{name}}`.
 */
export function renderChapters(
  rooms: readonly RoomData[],
  operations: Readonly<Record<string, string>>,
  values: Readonly<Record<string, string>>,
): Chapter[] {
  const written = GUIDE_SUBJECTS.flatMap((subject) =>
    rooms
      .flatMap(({ name: room, chapters }) => {
        const its = chapters === 'none' ? [] : Object.entries(chapters);
        return its.map(([name, [subject, place]]) => ({ room, name, subject, place }));
      })
      .filter((chapter) => chapter.subject === subject)
      .sort((one, other) => one.place - other.place)
      .map(({ room, name }) => {
        const file = new URL(`../${room}/${name}.md`, import.meta.url);
        return render({ subject, name }, filled(name, readFileSync(file, 'utf8'), values), file);
      }),
  );
  const generated = Object.entries(operations).map(([name, text]) =>
    render({ subject: 'Operaciones', name: `operaciones/${name}` }, text, new URL(import.meta.url)),
  );
  return [...written, ...generated];
}

function filled(name: string, text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{\{(\w+)\}\}/g, (_, value: string) => {
    if (!(value in values)) throw new Error(`${name}.md: there is no value {{${value}}}`);
    return String(values[value]);
  });
}

/** @param base address of the chapter's file, beside which its pictures stand. */
function render(own: Pick<Chapter, 'subject' | 'name'>, text: string, base: URL): Chapter {
  const markdown = text.replace(KEYWORDS, '');
  const { html, sections } = renderMarkdown(markdown, base);
  const [first, ...others] = sections;
  if (first?.depth !== 1) throw new Error(`The chapter ${own.name} does not begin with its title`);
  return {
    ...own,
    path: own.name === 'inicio' ? '' : `/${own.name}`,
    title: first.title,
    // A block of code may follow a colon.
    summary: (/^.*?(?:\.(?= |$)|:(?= \{|$))/.exec(first.text)?.[0] ?? first.text).replace(/:$/, '.'),
    content: chooseLanguages(html),
    markdown,
    keywords: KEYWORDS.exec(text)?.[1] ?? '',
    isReference: REFERENCE.test(own.name),
    sections: [first, ...others],
  };
}

/** The contents as a page shows them: its own chapter is marked, and has its sections below. */
export type Contents = {
  subject: string;
  chapters: { path: string; title: string; current: boolean; sections: Section[] }[];
}[];

/** @param path of the page. */
export function contentsFor(path: string, chapters: readonly Chapter[]): Contents {
  return [...Map.groupBy(chapters, ({ subject }) => subject)].map(([subject, its]) => ({
    subject,
    chapters: its.map(({ path: own, title, sections }) => {
      const current = own === path;
      return {
        path: own,
        // The heading above says it already.
        title: title.replace(`${subject}: `, ''),
        current,
        sections: current ? sections.filter(({ depth }) => depth === 2) : [],
      };
    }),
  }));
}
