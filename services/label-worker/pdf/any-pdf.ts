import {
  ParseSpeeds,
  PDFArray,
  PDFDict,
  PDFDocument,
  PDFName,
  type PDFPage,
  PDFString,
  PrintScaling,
} from '@cantoo/pdf-lib';
import { contentStreams, type LabelPages, SAVE_STATE } from './content-streams.ts';
import { type Link, withFloating } from './floating-shapes.ts';
import { UNDERLAY_NAME } from './underlay.ts';

/**
 * Reads a print with a library that knows all of PDF, at ten times the cost of `readChromiumPdf`: for prints that one
 * does not support, and as its oracle in the tests.
 */
export async function readAnyPdf(print: Uint8Array) {
  const source = await PDFDocument.load(print, { parseSpeed: ParseSpeeds.Fastest, updateMetadata: false });
  return { pageCount: source.getPageCount(), extract };

  async function extract(wanted: readonly number[], label: LabelPages): Promise<Uint8Array> {
    const file = await PDFDocument.create({ updateMetadata: false });
    for (const page of await file.copyPages(source, [...wanted])) file.addPage(page);
    const printed = file.getPages().map((page) => ({ ...page.getSize(), links: takeLinks(page) }));
    const drawing = withFloating(
      label.drawing,
      wanted.map((_, i) => i),
      (i) => printed[i] as (typeof printed)[0],
    );
    const { shared, pages } = contentStreams({ ...label, drawing }, file.getPage(0).getHeight());
    const [underlay] = label.underlay ? await file.embedPdf(label.underlay.file) : [];
    const stream = (operators: string) => file.context.register(file.context.stream(operators));
    for (const [i, { node }] of file.getPages().entries()) {
      node.normalize();
      node.wrapContentStreams(stream(SAVE_STATE), stream(shared + pages[i]));
      if (underlay) node.setXObject(PDFName.of(UNDERLAY_NAME), underlay.ref);
    }
    file.setTitle(label.title);
    file.setLanguage('es-MX');
    // A viewer that shrinks the page to the printer's margins makes bars of broken dots.
    file.catalog.getOrCreateViewerPreferences().setPrintScaling(PrintScaling.None);
    return file.save({ useObjectStreams: false, objectsPerTick: Number.POSITIVE_INFINITY });
  }
}

/** Takes a page's links out of it, as `chromium-pdf.ts` does. */
function takeLinks({ node }: PDFPage): Link[] {
  const annotations = node.Annots()?.asArray() ?? [];
  const links = annotations.map((_, i) => node.Annots()?.lookup(i, PDFDict));
  node.delete(PDFName.of('Annots'));
  return links.flatMap((link) => {
    const rectangle = link?.lookupMaybe(PDFName.of('Rect'), PDFArray)?.asRectangle();
    const href = link?.lookupMaybe(PDFName.of('A'), PDFDict)?.lookupMaybe(PDFName.of('URI'), PDFString);
    if (!rectangle || !href) return [];
    const { x: left, y: bottom, width, height } = rectangle;
    return [{ href: href.asString(), left, bottom, right: left + width, top: bottom + height }];
  });
}
