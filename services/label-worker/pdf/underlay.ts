import { PDFDocument } from '@cantoo/pdf-lib';
import type { PdfChunk } from '#shared/pdf/pdf-writer.ts';
import { objectAt, type PdfObject, reachable, readPdf, UnsupportedPdfError } from '#shared/pdf/read-pdf.ts';

/** A page that labels are laid on. */
export type PdfForm = {
  /** A PDF of this one page. */
  file: Uint8Array;
  /** The page as a form XObject (ISO 32000-1, 8.10), and after it what it needs, numbered from `FORM` on. */
  objects: readonly PdfChunk[];
};

/** Number of the form in each label's file, the same in all, so that its objects are written once. */
export const FORM = 6;

/** Name of the form in the resources of a label's page; Chromium's names have a number. */
export const FORM_NAME = 'Form';

/** Makes a form of a PDF of one page. Once for each kind of label, so the general library may take its time. */
export async function readForm(file: Uint8Array): Promise<PdfForm> {
  const carrier = await PDFDocument.create({ updateMetadata: false });
  const [page] = await carrier.embedPdf(file);
  if (!page) throw new UnsupportedPdfError('The form has no page');
  carrier.addPage().drawPage(page);
  carrier.setTitle(FORM_NAME); // without any information dictionary our reader refuses a file
  const { objects } = readPdf(Buffer.from(await carrier.save({ useObjectStreams: false })));
  const [form] = [...objects].find(([, { pieces }]) => pieces.join('').includes('/Subtype /Form')) ?? [];
  if (form === undefined) throw new UnsupportedPdfError('The form is no XObject');
  const numbers = reachable(objects, [form]);
  const places = new Map(numbers.map((number, i) => [number, FORM + i]));
  return { file, objects: numbers.map((number) => renumbered(objectAt(objects, number), places)) };
}

function renumbered({ pieces, refs, body }: PdfObject, numbers: ReadonlyMap<number, number>): Buffer {
  const text = pieces.map((piece, i) => piece + (i < refs.length ? `${numbers.get(refs[i] ?? 0)} 0 R` : ''));
  return Buffer.concat([Buffer.from(text.join(''), 'latin1'), body]);
}
