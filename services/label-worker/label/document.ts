import { readFileSync } from 'node:fs';
import { PAGE_SIZES, type PageSize } from './templates.ts';

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
const pageStyles = ([kind, { width, height }]: [string, PageSize]) =>
  `@page ${kind} { size: ${width} ${height} }
.${kind} { page: ${kind}; width: calc(${width} - .5mm); height: calc(${height} - .5mm) }
`;

/** The document that labels are printed in, whatever their kind: all but the labels themselves. */
export const DOCUMENT = `<!doctype html>
<html lang="es-MX">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; font-src data:; img-src data:">
<title>Guías</title>
<style>${styles}${Object.entries(PAGE_SIZES).map(pageStyles).join('')}</style>
<body></body>
</html>
`;
