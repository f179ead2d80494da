import { bytesOf, compressedStream } from '#shared/pdf/pdf-writer.ts';
import {
  objectAt,
  parseObject,
  reachable,
  readPdf,
  UnsupportedPdfError,
  withNumbers,
} from '#shared/pdf/read-pdf.ts';
import { contentStreams, type LabelPages, type PdfUnderlay, SAVE_STATE } from './content-streams.ts';
import { contentOf, requireLetters } from './printed-letters.ts';

/** The same in all files, so that an underlay's objects are written once. */
export const FIRST_OBJECT = 6;

/** What Chromium (Skia) writes of a page. */
const PAGE = /\/Resources (<<.*>>)\n\/MediaBox (\[0 0 [\d.]+ ([\d.]+)\])\n\/Contents (\d+) 0 R\n/s;

/** Makes an underlay of a print of one page and its drawing. @throws UnsupportedPdfError; MissingTextError */
export function readUnderlay(
  print: Uint8Array,
  { drawing, letters }: Pick<LabelPages, 'drawing' | 'letters'>,
): PdfUnderlay {
  const { objects, pages } = readPdf(Buffer.from(print));
  const [page = 0] = pages;
  const text = withNumbers(objectAt(objects, page), (ref) => ref);
  const [, resources, box, height, content] = PAGE.exec(text) ?? [];
  if (!content || pages.length !== 1) throw new UnsupportedPdfError('An underlay is not one page');
  requireLetters(objects, page, letters[0] ?? 0);
  const printed = contentOf(objects, Number(content));
  const drawn = contentStreams({ drawing }, Number(height));
  const form = compressedStream(
    `${SAVE_STATE}${printed}${drawn.shared}${drawn.pages[0]}`,
    `/Type /XObject /Subtype /Form /BBox ${box} /Resources ${resources} `,
  );
  objects.set(page, parseObject(bytesOf(form)));
  const needed = reachable(objects, [page]);
  const numbers = new Map(needed.map((number, i) => [number, FIRST_OBJECT + i]));
  return needed.map((number) => {
    const object = objectAt(objects, number);
    return bytesOf([withNumbers(object, (ref) => numbers.get(ref) as number), object.body]);
  });
}
