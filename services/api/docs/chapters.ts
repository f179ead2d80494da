import { readFileSync } from 'node:fs';
import { Marked, Renderer } from 'marked';
import { escapeHtml } from '#shared/pages/page-kit.ts';

/** Chapters of the guide for integrators, in the order of its menu; each is a Markdown file. */
const NAMES = [
  ...['inicio', 'pruebas', 'campos', 'postales', 'cotizar', 'errores', 'reintentos', 'limites'],
  ...['etiquetas', 'impresoras', 'rastreo', 'webhooks', 'cambios'],
];

const read = (file: string) => readFileSync(new URL(file, import.meta.url));

let section = '';

const usual = new Renderer();
const markdown = new Marked({
  /** Does not link addresses in examples. */
  tokenizer: { url: () => undefined },
  renderer: {
    /** Shows HTML as text. */
    html: ({ text }) => escapeHtml(text),
    /** Lets code scroll on a narrow screen, also by keyboard. */
    code(token) {
      return usual.code.call(this, token).replace('<pre>', '<pre tabindex="0">');
    },
    /** Tables scroll too, named by the heading above. */
    table(token) {
      const table = usual.table.call(this, token);
      return `<div class="tabla" role="region" aria-label="${escapeHtml(section)}" tabindex="0">${table}</div>\n`;
    },
    /** Gives headings that begin with code an id. */
    heading({ depth, text, tokens }) {
      section = text.replaceAll('`', '');
      const [first] = tokens;
      const id = first?.type === 'codespan' ? ` id="${escapeHtml(first.text)}"` : '';
      return `<h${depth}${id}>${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    /** Embeds pictures: the page loads nothing else. */
    image({ href, text }) {
      const source = read(href).toString('base64');
      return `<img src="data:image/png;base64,${source}" alt="${escapeHtml(text)}" width="192" height="72">`;
    },
  },
});

/** A chapter as HTML, at `/api/docs` and this path. */
export type Chapter = { path: string; title: string; content: string };

/** Renders the chapters. Values, in Markdown, replace `{{name}}`. */
export function renderChapters(values: Readonly<Record<string, string | number>>): Chapter[] {
  return NAMES.map((name, i) => {
    const text = read(`${name}.md`)
      .toString()
      .replace(/\{\{(\w+)\}\}/g, (_, value: string) => {
        if (!(value in values)) throw new Error(`${name}.md: there is no value {{${value}}}`);
        return String(values[value]);
      });
    const [first = '', ...lines] = text.split('\n');
    return {
      path: i === 0 ? '' : `/${name}`,
      title: first.replace('# ', ''),
      content: markdown.parse(lines.join('\n'), { async: false }),
    };
  });
}
