import {
  catalog,
  compressedStream,
  contentStream,
  information,
  PAGES,
  type PdfChunk,
  PdfWriter,
  pageTree,
} from '#shared/pdf/pdf-writer.ts';
import {
  type ObjectsByNumber,
  objectAt,
  reachable,
  readPdf,
  UnsupportedPdfError,
  withNumbers,
} from '#shared/pdf/read-pdf.ts';
import { contentStreams, type LabelPages, SAVE_STATE, UNDERLAY_NAME } from './content-streams.ts';
import { type PageWithLinks, takeLinks, withFloating } from './floating-shapes.ts';
import { requireLetters } from './printed-letters.ts';
import { FIRST_OBJECT } from './underlay.ts';

/**
 * Splits a print into one PDF for each label, in order and without dates. Copies objects as bytes
 * (docs/decisions/0003-own-pdf-splitter.md).
 * @throws UnsupportedPdfError; MissingTextError; Error when the number of pages is not that of the labels.
 */
export function split(print: Uint8Array, labels: readonly LabelPages[]): Uint8Array[] {
  const { objects, pages } = readPdf(Buffer.from(print.buffer, print.byteOffset, print.byteLength));
  const expected = labels.reduce((sum, { drawing }) => sum + drawing.pages.length, 0);
  if (pages.length !== expected) throw new Error(`The print has ${pages.length} pages, not ${expected}`);
  const rest = pages.map((page): PrintedPage => {
    const links = takeLinks(objects, page);
    return { ...sizeOf(objects, page), links, number: page };
  });
  return labels.map((label) => {
    const own = rest.splice(0, label.drawing.pages.length);
    for (const [i, { number }] of own.entries()) requireLetters(objects, number, label.letters[i] ?? 0);
    return fileOf(objects, own, { ...label, drawing: withFloating(label.drawing, own) });
  });
}

/** `number` is that of the page's object. */
type PrintedPage = PageWithLinks & { number: number };

function sizeOf(objects: ObjectsByNumber, page: number): { width: number; height: number } {
  const text = objectAt(objects, page).pieces.join(' ');
  const [, width, height] = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(text) ?? [];
  if (!height) throw new UnsupportedPdfError('A page has no size');
  return { width: Number(width), height: Number(height) };
}

/** The underlay comes next, then each page's own stream, then the copied objects. */
const [SAVE, SHARED] = [4, 5];

function fileOf(objects: ObjectsByNumber, pages: readonly PrintedPage[], label: LabelPages): Buffer {
  const { title, underlay = [] } = label;
  const streams = contentStreams(label, pages[0]?.height ?? 0);
  const firstOwn = FIRST_OBJECT + underlay.length;
  const firstCopy = firstOwn + pages.length;
  const copied = reachable(
    objects,
    pages.map(({ number }) => number),
  );
  const numbers = new Map(copied.map((old, i) => [old, firstCopy + i]));
  // Only a page's reference to its parent refers to an object that is not copied.
  const numberOf = (old: number) => numbers.get(old) ?? PAGES;
  const ownStreams = new Map(pages.map(({ number }, i) => [number, firstOwn + i]));
  const copy = (old: number): PdfChunk[] => {
    const object = objectAt(objects, old);
    const own = ownStreams.get(old);
    const text = withNumbers(object, numberOf);
    return [own === undefined ? text : pageWith(text, own, underlay.length > 0), object.body];
  };
  return pdfFile([
    catalog(),
    pageTree(pages.map(({ number }) => numberOf(number))),
    information(title),
    contentStream(SAVE_STATE),
    compressedStream(streams.shared),
    ...underlay.map((object) => [object]),
    ...streams.pages.map(contentStream),
    ...copied.map(copy),
  ]);
}

/** Adds our content streams and the underlay to a page. */
function pageWith(page: string, own: number, hasUnderlay: boolean): string {
  const whole = page.replace(
    /\/Contents (\d+ 0 R)\n/,
    `/Contents [${SAVE} 0 R $1 ${SHARED} 0 R ${own} 0 R]\n`,
  );
  if (whole === page) throw new UnsupportedPdfError('A page has not one content stream');
  if (!hasUnderlay) return whole;
  const underlay = `/${UNDERLAY_NAME} ${FIRST_OBJECT} 0 R`;
  if (page.includes('/XObject <<')) return whole.replace('/XObject <<', `/XObject <<${underlay}\n`);
  if (page.includes('/Resources <<'))
    return whole.replace('/Resources <<', `/Resources <</XObject <<${underlay}>>\n`);
  throw new UnsupportedPdfError('A page has no resources of its own');
}

/** An object's number is its index in `objects`, from 1. The first three are in every file. */
export function pdfFile(objects: readonly (readonly PdfChunk[])[]): Buffer {
  const writer = new PdfWriter();
  const written = [
    writer.header(),
    ...objects.map((object, i) => writer.object(i + 1, object)),
    writer.end(),
  ];
  return Buffer.concat(written);
}
