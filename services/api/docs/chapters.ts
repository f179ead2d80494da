import { readFileSync } from 'node:fs';
import MarkdownIt from 'markdown-it';

/** The chapters of the guide for integrators, in the order of its menu; each is the Markdown file of its name. */
const NAMES = ['inicio', 'campos', 'errores', 'reintentos', 'limites', 'etiquetas', 'impresoras', 'cambios'];

const read = (file: string) => readFileSync(new URL(file, import.meta.url));
export const STYLE = read('manual.css');

/** HTML in the text is shown as text. */
const markdown = new MarkdownIt({ html: false });
const { rules, renderToken } = markdown.renderer;
export const escapeHtml = markdown.utils.escapeHtml;

/** Code may scroll on a narrow screen, also by keyboard. */
rules.fence = (tokens, i) => `<pre tabindex="0"><code>${escapeHtml(tokens[i]?.content ?? '')}</code></pre>\n`;
rules.code_block = rules.fence;
/** A table too. It is named as the heading above it. */
rules.table_open = (tokens, i) => {
  const heading = tokens.findLastIndex(({ type }, at) => at < i && type === 'heading_open');
  const name = escapeHtml((tokens[heading + 1]?.content ?? '').replaceAll('`', ''));
  return `<div class="tabla" role="region" aria-label="${name}" tabindex="0"><table>\n`;
};
rules.table_close = () => '</table></div>\n';
/** A heading that begins with code can be linked to by it. */
rules.heading_open = (tokens, i, options) => {
  const [first] = tokens[i + 1]?.children ?? [];
  if (first?.type === 'code_inline') tokens[i]?.attrSet('id', first.content);
  return renderToken.call(markdown.renderer, tokens, i, options);
};
/** Pictures are in the page, which loads nothing else. */
rules.image = (tokens, i) => {
  const { content = '', attrs } = tokens[i] ?? {};
  const [, file = ''] = attrs?.find(([name]) => name === 'src') ?? [];
  const source = read(String(file)).toString('base64');
  return `<img src="data:image/png;base64,${source}" alt="${escapeHtml(content)}" width="192" height="72">`;
};

/** A chapter at `/api/docs` and this path, as HTML. */
export type Chapter = { path: string; title: string; content: string };

/**
 * Renders the chapters.
 *
 * @param values stand in the text as `{{name}}`, and are Markdown themselves.
 */
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
      content: markdown.render(lines.join('\n')),
    };
  });
}
