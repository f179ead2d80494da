import { readFileSync } from 'node:fs';
import { renderMarkdown, type Section } from '#shared/pages/markdown.ts';

/** The chapters of the guide for integrators by subject, in the order of its contents. Those of a room that is not there are left out. */
const SUBJECTS = {
  Empezar: ['inicio', 'pruebas', 'probar', 'cliente', 'ejemplos', 'contrasena'],
  'Crear guías': ['campos', 'postales', 'cotizar', 'reintentos'],
  Etiquetas: ['etiquetas', 'impresoras', 'manifiestos'],
  Seguimiento: ['rastreo', 'webhooks'],
  Consulta: ['operaciones', 'errores', 'limites', 'cambios'],
};

/** A chapter as HTML, at `/api/docs` and this path. Its first section is its title, with the text below. */
export type Chapter = {
  subject: string;
  name: string;
  path: string;
  title: string;
  content: string;
  sections: [Section, ...Section[]];
};

/**
 * Renders the chapters. It throws for one that no subject names.
 *
 * @param files addresses of the chapters' Markdown, by name.
 * @param values in Markdown, replace `{{name}}`.
 */
export function renderChapters(
  files: Readonly<Record<string, URL>>,
  values: Readonly<Record<string, string>>,
): Chapter[] {
  const missing = Object.keys(files).filter((name) => !Object.values(SUBJECTS).flat().includes(name));
  if (missing.length > 0) throw new Error(`No subject of the guide names the chapters ${missing.join(', ')}`);
  return Object.entries(SUBJECTS).flatMap(([subject, names]) =>
    names.flatMap((name) => {
      const file = files[name];
      const path = name === 'inicio' ? '' : `/${name}`;
      return file ? [{ subject, name, path, ...render(name, file, values) }] : [];
    }),
  );
}

function render(name: string, file: URL, values: Readonly<Record<string, string>>) {
  const text = readFileSync(file, 'utf8').replace(/\{\{(\w+)\}\}/g, (_, value: string) => {
    if (!(value in values)) throw new Error(`${name}.md: there is no value {{${value}}}`);
    return String(values[value]);
  });
  const { html, sections } = renderMarkdown(text, file);
  const [first, ...others] = sections;
  if (first?.depth !== 1) throw new Error(`${name}.md does not begin with its title`);
  return { title: first.title, content: html, sections: [first, ...others] as Chapter['sections'] };
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
        title,
        current,
        sections: current ? sections.filter(({ depth }) => depth === 2) : [],
      };
    }),
  }));
}
