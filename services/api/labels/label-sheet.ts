import { inflateSync } from 'node:zlib';
import { bytesOf, compressedStream, PAGES, type PdfChunk } from '#shared/pdf/pdf-writer.ts';
import {
  type ObjectsByNumber,
  objectAt,
  type PdfObject,
  parseObject,
  UnsupportedPdfError,
  withNumbers,
} from '#shared/pdf/read-pdf.ts';

/**
 * A letter with four labels of 4 × 5 in (101.6 × 127 mm), two by two without a gap. Its margins are 1/4 in (6.35 mm) left
 * and right, and 1/2 in (12.7 mm) at the top and bottom (docs/contract.md "Labels").
 */
const LETTER_POINTS = { width: 612, height: 792 };
/**
 * The upper left corners of labels of 100 × 100 mm amid those of the stock, in reading order. They are whole dots of 1/8 mm
 * from the sheet's corner, as all that labels show, or bars would change their widths.
 */
const PLACES_DOTS = [
  { x: 57, y: 210 },
  { x: 870, y: 210 },
  { x: 57, y: 1_226 },
  { x: 870, y: 1_226 },
] as const;
const POINTS_PER_DOT = 72 / 25.4 / 8;
/** How many labels a sheet has. */
export const SHEET_PLACES = PLACES_DOTS.length;

/** What the label worker writes of a page, as far as a form needs it. */
const PAGE =
  /\/Resources (<<.*>>)\n\/MediaBox (\[0 0 [\d.]+ ([\d.]+)\])\n\/Contents (\[[\d R]+\]|\d+ 0 R)\n/s;

/**
 * Makes a form XObject (ISO 32000-1, 8.10) of a page, whose upper left corner is the form's origin. Links are left out: they
 * serve nobody on paper.
 *
 * @throws UnsupportedPdfError if the label worker did not write the page.
 */
export function formOf(objects: ObjectsByNumber, page: number): PdfObject {
  const text = withNumbers(objectAt(objects, page), (ref) => ref);
  const [, resources, box, height, contents] = PAGE.exec(text) ?? [];
  if (!contents) throw new UnsupportedPdfError('A label is not a page that can be placed on a sheet');
  const streams = [...contents.matchAll(/(\d+) 0 R/g)].map(([, number]) =>
    operatorsOf(objects, Number(number)),
  );
  const entries = `/Type /XObject /Subtype /Form /BBox ${box} /Matrix [1 0 0 1 0 -${height}] /Resources ${resources} `;
  return parseObject(bytesOf(compressedStream(streams.join('\n'), entries)));
}

function operatorsOf(objects: ObjectsByNumber, number: number): string {
  const { pieces, body } = objectAt(objects, number);
  const bytes = body.subarray('stream\n'.length, body.lastIndexOf('endstream'));
  const isCompressed = pieces.join('').includes('/Filter /FlateDecode');
  return (isCompressed ? inflateSync(bytes) : bytes).toString('latin1');
}

/** Writes what a sheet draws. @param forms by place. */
export function sheetOperators(forms: readonly (number | undefined)[]): string {
  return PLACES_DOTS.map(({ x, y }, place) => {
    if (forms[place] === undefined) return '';
    const [left, up] = [x * POINTS_PER_DOT, LETTER_POINTS.height - y * POINTS_PER_DOT];
    return `q 1 0 0 1 ${left.toFixed(6)} ${up.toFixed(6)} cm /${nameAt(place)} Do Q\n`;
  }).join('');
}

/** Writes a sheet's page. @param forms by place. @param content the number of its content stream. */
export function sheetPage(forms: readonly (number | undefined)[], content: number): PdfChunk[] {
  const { width, height } = LETTER_POINTS;
  const named = forms.map((form, place) => (form === undefined ? '' : `/${nameAt(place)} ${form} 0 R `));
  return [
    `<</Type /Page /Parent ${PAGES} 0 R /MediaBox [0 0 ${width} ${height}] `,
    `/Resources <</XObject <<${named.join('')}>>>> /Contents ${content} 0 R>>\nendobj\n`,
  ];
}

function nameAt(place: number): string {
  return `Label${place + 1}`;
}
