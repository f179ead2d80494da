import { PDFDocument } from '@cantoo/pdf-lib';
import type { PdfChunk } from '#shared/pdf/pdf-writer.ts';
import { objectAt, reachable, readPdf, UnsupportedPdfError, withNumbers } from '#shared/pdf/read-pdf.ts';

/** A page that labels are laid on. */
export type PdfUnderlay = {
  /** A PDF of this one page. */
  file: Uint8Array;
  /** The page as a form XObject (ISO 32000-1, 8.10), and after it what it needs, numbered from `FIRST_OBJECT` on. */
  objects: readonly PdfChunk[];
};

/** Number of the underlay in each label's file, the same in all, so that its objects are written once. */
export const FIRST_OBJECT = 6;

/** Name of the underlay in the resources of a label's page; Chromium's names have a number. */
export const UNDERLAY_NAME = 'Underlay';

/** Makes an underlay of a PDF of one page. Once for each kind of label, so the general library may take its time. */
export async function readUnderlay(file: Uint8Array): Promise<PdfUnderlay> {
  const carrier = await PDFDocument.create({ updateMetadata: false });
  const [page] = await carrier.embedPdf(file);
  if (!page) throw new UnsupportedPdfError('The underlay has no page');
  carrier.addPage().drawPage(page);
  carrier.setTitle(UNDERLAY_NAME); // without any information dictionary our reader refuses a file
  const { objects } = readPdf(Buffer.from(await carrier.save({ useObjectStreams: false })));
  const [underlay] = [...objects].find(([, { pieces }]) => pieces.join('').includes('/Subtype /Form')) ?? [];
  if (underlay === undefined) throw new UnsupportedPdfError('The underlay is no XObject');
  const numbers = reachable(objects, [underlay]);
  const places = new Map(numbers.map((number, i) => [number, FIRST_OBJECT + i]));
  const copied = (number: number) => {
    const object = objectAt(objects, number);
    const text = withNumbers(object, (ref) => places.get(ref) as number);
    return Buffer.concat([Buffer.from(text, 'latin1'), object.body]);
  };
  return { file, objects: numbers.map(copied) };
}
