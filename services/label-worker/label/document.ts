import { readFileSync } from 'node:fs';
import { OUR_TEMPLATES } from './templates.ts';

const file = (path: string) => new URL(path, import.meta.url);

/** Inlines the fonts, because the document may load nothing. */
const styles = readFileSync(file('document.css'), 'utf8').replace(
  /url\((.+?\.woff2)\)/g,
  (_, font: string) => `url(data:font/woff2;base64,${readFileSync(file(`fonts/${font}`), 'base64')})`,
);

const pageStyles = Object.values(OUR_TEMPLATES)
  .map((template) => template.pageStyles)
  .join('');

/** The document of all kinds, without the labels themselves. */
export const DOCUMENT = `<!doctype html>
<html lang="es-MX">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; font-src data:; img-src data:">
<title>Guías</title>
<style>${styles}${pageStyles}</style>
<body></body>
</html>
`;
