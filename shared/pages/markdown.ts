import { readFileSync } from 'node:fs';
import { Marked, type MarkedExtension, Renderer } from 'marked';
import { escapeHtml } from './page-kit.ts';

/** A part of a text below a heading, which a link reaches by `id`. `text` has no markup. */
export type Section = { id: string; title: string; depth: number; text: string };

/**
 * Renders a Markdown file of the repository for a page.
 * @param base address of the file, beside which its pictures stand.
 * @throws Error if two headings have one id.
 */
export function renderMarkdown(text: string, base: URL): { html: string; sections: Section[] } {
  const html = new Marked({ tokenizer, renderer: renderer(base) }).parse(text, { async: false });
  return { html, sections: sectionsOf(html) };
}

/** Makes an id of a heading: its words in lower case, without accents. */
function idOf(title: string): string {
  return title
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

/** Does not link addresses in examples. */
const tokenizer: NonNullable<MarkedExtension['tokenizer']> = { url: () => undefined };
const usual = new Renderer();

function renderer(base: URL): NonNullable<MarkedExtension['renderer']> {
  const ids = new Set<string>();
  return {
    /** Shows HTML as text. */
    html: ({ text }) => escapeHtml(text),
    /** Shows the words of a link to another document alone, because who reads the page may not have the repository. */
    link(token) {
      const isDocument = /^[^#:]+\.md(?:#|$)/.test(token.href);
      return isDocument ? this.parser.parseInline(token.tokens) : usual.link.call(this, token);
    },
    /** Lets code scroll, also by keyboard. */
    code(token) {
      return usual.code.call(this, token).replace('<pre>', '<pre tabindex="0">');
    },
    /** On a narrow screen a row is a card, whose cells name their columns. The roles stay as they are then. */
    table({ header, rows }) {
      const heads = header.map(({ tokens }) => this.parser.parseInline(tokens));
      const names = heads.map((head) => escapeHtml(plainText(head)));
      const cell = (content: string, i: number) =>
        `<td role="cell" data-columna="${names[i]}">${content}</td>`;
      const lines = rows.map((row) => row.map(({ tokens }, i) => cell(this.parser.parseInline(tokens), i)));
      const row = (cells: string[]) => `<tr role="row">${cells.join('')}</tr>\n`;
      return `<div class="tabla"><table role="table">
<thead role="rowgroup">${row(heads.map((head) => `<th role="columnheader">${head}</th>`))}</thead>
<tbody role="rowgroup">${lines.map(row).join('')}</tbody></table></div>\n`;
    },
    /** A heading below the title is a link to itself. Its id is the code that it begins with, or its words. */
    heading({ depth, text, tokens }) {
      const [first] = tokens;
      const id = escapeHtml(first?.type === 'codespan' ? first.text : idOf(text));
      if (ids.has(id)) throw new Error(`Two headings have the id ${id}`);
      ids.add(id);
      const title = this.parser.parseInline(tokens);
      return `<h${depth} id="${id}">${depth === 1 ? title : `<a href="#${id}">${title}</a>`}</h${depth}>\n`;
    },
    /** Embeds pictures: the page loads nothing else. */
    image({ href, text }) {
      const png = readFileSync(new URL(href, base));
      // A PNG begins with its signature and the chunk IHDR, which has the size.
      const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
      const source = `data:image/png;base64,${png.toString('base64')}`;
      return `<img src="${source}" alt="${escapeHtml(text)}" width="${width}" height="${height}">`;
    },
  };
}

function sectionsOf(html: string): Section[] {
  return html.split(/(?=<h[1-6] id=")/).flatMap((part) => {
    const [heading, depth = '', id = '', title = ''] = /^<h(\d) id="([^"]+)">(.*?)<\/h\d>/.exec(part) ?? [];
    if (!heading) return [];
    return [
      { id, title: plainText(title), depth: Number(depth), text: plainText(part.slice(heading.length)) },
    ];
  });
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'" };

function plainText(html: string): string {
  return html
    .replaceAll(/<\/?(?:a|code|em|strong)\b[^>]*>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&([#\w]+);/g, (entity, name: string) => ENTITIES[name] ?? entity)
    .replaceAll(/\s+/g, ' ')
    .trim();
}
