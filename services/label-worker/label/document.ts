import { readFileSync } from 'node:fs';
import type { LabelTemplate } from './template-files/compile-template.ts';
import { type LabelTemplates, OUR_TEMPLATES } from './templates.ts';

const file = (path: string) => new URL(path, import.meta.url);

/** Styles with the fonts inline: the document may load nothing. */
const styles = readFileSync(file('document.css'), 'utf8').replace(
  /url\((.+?\.woff2)\)/g,
  (_, font: string) => `url(data:font/woff2;base64,${readFileSync(file(`fonts/${font}`), 'base64')})`,
);

/**
 * A page's size, and its content half a millimetre smaller: Chromium cuts a page down to whole CSS pixels, and
 * content that is larger than its page prints an empty page.
 */
const pageStyles = ([kind, { size }]: [string, LabelTemplate]) =>
  `@page ${kind} { size: ${size.width} ${size.height} }
.${kind} { page: ${kind}; width: calc(${size.width} - .5mm); height: calc(${size.height} - .5mm) }
`;

/** Styles of templates of an operator's own, each in an element that no other can spoil; empty where all are ours. */
function ownStyles(templates: readonly LabelTemplate[]): string {
  const ours: readonly LabelTemplate[] = Object.values(OUR_TEMPLATES);
  if (templates.every((template) => ours.includes(template))) return '';
  const shared = readFileSync(file('flow/flow.css'), 'utf8');
  return [shared, ...templates.map(({ styles }) => styles)].join('</style><style>');
}

/** Returns the document that labels are printed in, whatever their kind: all but the labels themselves. */
export function labelDocument(templates: LabelTemplates): string {
  const pages = Object.entries(templates).map(pageStyles).join('');
  return `<!doctype html>
<html lang="es-MX">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; font-src data:; img-src data:">
<title>Guías</title>
<style>${styles}${pages}${ownStyles(Object.values(templates))}</style>
<body></body>
</html>
`;
}

/** The document of our templates. */
export const DOCUMENT = labelDocument(OUR_TEMPLATES);
