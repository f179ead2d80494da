import { TemplateError } from './template-error.ts';

const STYLE = /<style\b[^>]*>([\s\S]*?)<\/style>/gi;
/** What styles may not hold, and why. */
const REFUSED: [RegExp, string][] = [
  [/\{\{/, 'styles are the same for all labels, so they can hold no {{ }}'],
  [
    /@(?:import|font-face|page|charset|namespace)\b/i,
    'styles of a label load nothing, and {{#page}} sets its page',
  ],
  [/url\((?!\s*["']?data:)/i, 'a label loads nothing: write an image as a data: URI'],
];

/**
 * Takes the `<style>` elements out of a template. The document has them once, for pages of the class `styledAs` alone: in
 * a page they would be read with each label, and would also style the labels of other kinds in its print.
 *
 * @returns the rest in the same lines.
 * @throws TemplateError
 */
export function scopedStyles(file: string, source: string, styledAs: string) {
  let styles = '';
  const markup = source.replace(STYLE, (element: string, css: string, at: number) => {
    const line = (index: number) => lineOf(source, at + element.indexOf(css) + index);
    for (const [pattern, reason] of REFUSED) {
      const found = css.search(pattern);
      if (found >= 0) throw new TemplateError(file, line(found), reason);
    }
    const extra = unbalanced(css);
    if (extra !== undefined) throw new TemplateError(file, line(extra), 'this brace has no counterpart');
    styles += `@scope (.${styledAs}) {${css}}\n`;
    return '\n'.repeat(element.split('\n').length - 1);
  });
  return { markup, styles };
}

export function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

/** Returns where a brace has no counterpart: it would end, or keep open, the scope around the styles. */
function unbalanced(css: string): number | undefined {
  const open: number[] = [];
  const plain = css.replace(/\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g, (part) =>
    ' '.repeat(part.length),
  );
  for (const { 0: brace, index } of plain.matchAll(/[{}]/g)) {
    if (brace === '{') open.push(index);
    else if (open.pop() === undefined) return index;
  }
  return open[0];
}
