import { catalog, information, PAGES, PDF_HEADER, type PdfChunk, pageTree } from '#shared/pdf/pdf-writer.ts';
import {
  type ObjectsByNumber,
  objectAt,
  type PdfObject,
  reachable,
  readPdf,
  UnsupportedPdfError,
} from '#shared/pdf/read-pdf.ts';
import { contentStreams, type LabelPages, SAVE_STATE } from './content-streams.ts';
import { type Link, type PageWithLinks, withFloating } from './floating-shapes.ts';
import { compressedStream, contentStream, pdfFile } from './pdf-file.ts';
import { FIRST_OBJECT, UNDERLAY_NAME } from './underlay.ts';

/**
 * A splitter for the PDFs that Chromium prints, and for nothing else: it copies objects as bytes, because general
 * libraries, which parse and write each object, cost ten times as much (docs/decisions/0003-own-pdf-splitter.md).
 */

/** What a page's list of links begins with. */
const ANNOTATIONS = '/Annots [';
/** What Skia's files begin with, and no other program's. */
const SKIA_HEADER = Buffer.from(PDF_HEADER, 'latin1');

/** A print, read once: `extract` makes a label's PDF of some of its pages (from 0). */
export type ChromiumPdf = {
  pageCount: number;
  extract(wanted: readonly number[], label: LabelPages): Buffer;
};

/** @throws UnsupportedPdfError */
export function readChromiumPdf(pdf: Buffer): ChromiumPdf {
  if (!pdf.subarray(0, SKIA_HEADER.length).equals(SKIA_HEADER))
    throw new UnsupportedPdfError('The PDF does not begin as those of Chromium do');
  const { objects, pages } = readPdf(pdf);
  const links = pages.map((page) => takeLinks(objects, page));
  return {
    pageCount: pages.length,
    extract(wanted, label) {
      const numbers = wanted.map((index) => pages[index] ?? 0);
      const withLinks = (index: number): PageWithLinks => ({
        ...sizeOf(objectAt(objects, pages[index] ?? 0)),
        links: links[index] ?? [],
      });
      return fileOf(objects, numbers, { ...label, drawing: withFloating(label.drawing, wanted, withLinks) });
    },
  };
}

/** Takes a page's links out of it: labels have none of their own, and these say where floating shapes stand. */
function takeLinks(objects: Map<number, PdfObject>, page: number): Link[] {
  const { pieces, refs, body } = objectAt(objects, page);
  const first = pieces.findIndex((piece) => piece.endsWith(ANNOTATIONS));
  if (first < 0) return [];
  const last = pieces.findIndex((piece, i) => i > first && piece.startsWith(']'));
  const joined = pieces[first]?.slice(0, -ANNOTATIONS.length) + (pieces[last]?.slice(1) ?? '');
  objects.set(page, {
    pieces: [...pieces.slice(0, first), joined, ...pieces.slice(last + 1)],
    refs: [...refs.slice(0, first), ...refs.slice(last)],
    body,
  });
  return refs.slice(first, last).map((ref) => linkOf(objectAt(objects, ref)));
}

function linkOf({ pieces }: PdfObject): Link {
  const text = pieces.join('');
  const [left = 0, bottom = 0, right = 0, top = 0] =
    /\/Rect \[([^\]]*)\]/.exec(text)?.[1]?.split(' ').map(Number) ?? [];
  return { href: /\/URI \(([^)]*)\)/.exec(text)?.[1] ?? '', left, bottom, right, top };
}

/** Numbers of a file's objects. The underlay comes next, then each page's own stream, then what is copied of the print. */
const [SAVE, SHARED] = [4, 5];

function fileOf(objects: ObjectsByNumber, pages: readonly number[], label: LabelPages): Buffer {
  const { title, underlay } = label;
  const own = FIRST_OBJECT + (underlay?.objects.length ?? 0);
  const streams = contentStreams(label, sizeOf(objectAt(objects, pages[0] ?? 0)).height);
  const firstCopy = own + streams.pages.length;
  const numbers = new Map(reachable(objects, pages).map((old, i) => [old, firstCopy + i]));
  const copy = (old: number): PdfChunk[] => {
    const { pieces, refs, body } = objectAt(objects, old);
    const index = pages.indexOf(old);
    const text = pieces.map((piece, i) => {
      const ref = refs[i];
      if (ref === undefined) return piece;
      // A page's only reference that is not reachable is its parent.
      const copied = `${numbers.get(ref) ?? PAGES} 0 R`;
      const isContent = index >= 0 && piece.endsWith('/Contents ');
      return piece + (isContent ? `[${SAVE} 0 R ${copied} ${SHARED} 0 R ${own + index} 0 R]` : copied);
    });
    const copied = text.join('');
    return [underlay && index >= 0 ? withUnderlay(copied) : copied, body];
  };
  return pdfFile([
    catalog(),
    pageTree(pages.map((page) => numbers.get(page) ?? 0)),
    information(title),
    contentStream(SAVE_STATE),
    compressedStream(streams.shared),
    ...(underlay?.objects.map((object) => [object]) ?? []),
    ...streams.pages.map(contentStream),
    ...[...numbers.keys()].map(copy),
  ]);
}

/** Adds the underlay to the resources of a page. */
function withUnderlay(page: string): string {
  const underlay = `/${UNDERLAY_NAME} ${FIRST_OBJECT} 0 R`;
  if (page.includes('/XObject <<')) return page.replace('/XObject <<', `/XObject <<${underlay}\n`);
  if (page.includes('/Resources <<'))
    return page.replace('/Resources <<', `/Resources <</XObject <<${underlay}>>\n`);
  throw new UnsupportedPdfError('A page has no resources of its own');
}

/** Returns a page's size in points. Chromium's pages have a size and one content stream. */
function sizeOf({ pieces }: PdfObject): { width: number; height: number } {
  const [, width, height] = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(pieces.join(' ')) ?? [];
  if (!height || pieces.filter((piece) => piece.endsWith('/Contents ')).length !== 1) {
    throw new UnsupportedPdfError('A page has no size, or not one content stream');
  }
  return { width: Number(width), height: Number(height) };
}
