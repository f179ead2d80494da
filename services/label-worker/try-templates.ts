import { readFileSync } from 'node:fs';
import { type LabelPayload, pageCount } from '#shared/contracts/label-job.ts';
import { LABEL_KINDS, type LabelKind } from '#shared/contracts/label-kinds.ts';
import { isBrowserFailure } from './batching/print-batch.ts';
import { DOTS_PER_MM } from './drawing.ts';
import { startPdfium } from './images/pdfium.ts';
import { toPng } from './images/png.ts';
import { renderLabel } from './label/render-label.ts';
import { TemplateError } from './label/template-files/compile-template.ts';
import { sampleLabels } from './label/template-files/sample-labels.ts';
import { type LabelTemplates, OUR_TEMPLATES } from './label/templates.ts';

/** `alone`: in a document of its own. */
type Print = (label: LabelPayload, order: { alone: boolean }, sample: string) => Promise<Uint8Array>;
type Scan = Awaited<ReturnType<typeof startScanner>>;

/**
 * Prints the sample labels with each template of an operator's own, and reads their codes back from the PDFs.
 * @throws TemplateError if a label does not print, has wrong pages or codes, or looks different beside others.
 * @throws DomainError `browser-failed` if Chromium is at fault.
 */
export async function tryTemplates(templates: LabelTemplates, print: Print): Promise<void> {
  const own = LABEL_KINDS.filter((kind) => templates[kind] !== OUR_TEMPLATES[kind]);
  if (own.length === 0) return;
  const scan = await startScanner();
  for (const kind of own) await tryTemplate(kind, templates, print, scan);
}

async function tryTemplate(
  kind: LabelKind,
  templates: LabelTemplates,
  print: Print,
  scan: Scan,
): Promise<void> {
  const { file } = templates[kind];
  const refuse = (reason: string) => new TemplateError(file, undefined, reason);
  const printed = async (name: string, label: LabelPayload, alone: boolean): Promise<ScannedPage[]> => {
    const pdf = await print(label, { alone }, name).catch((error: Error) => {
      if (isBrowserFailure(error)) throw error;
      const { cause } = error;
      throw cause instanceof TemplateError
        ? cause
        : refuse(cause instanceof Error ? cause.message : error.message);
    });
    return Promise.all(Array.from({ length: pageCount(label) }, (_, page) => scan(pdf, page)));
  };
  const samples = Object.entries(sampleLabels(kind));
  const pagesAlone = new Map<string, ScannedPage[]>();
  for (const [name, label] of samples) {
    const { drawing, codes } = renderLabel(label, templates);
    const [expected, found] = [pageCount(label), drawing.pages.length];
    if (found !== expected)
      throw refuse(`${found} pages for ${expected} packages: {{#eachPackage}} makes a page for each`);
    const pages = await printed(name, label, true);
    for (const [i, page] of pages.entries()) {
      const missing = codes[i]?.find((code) => !page.codes.some(({ text }) => text === code));
      const where = `on page ${i + 1} of the sample "${name}"`;
      if (missing !== undefined) throw refuse(`a scanner cannot read the code ${missing} ${where}`);
      if (!page.codes.some(({ format }) => format === 'Code128'))
        throw refuse(`there is no {{barcode}} ${where}`);
    }
    pagesAlone.set(name, pages);
  }
  // The first label takes a free print slot. The other labels wait, and share the next print.
  const together = await Promise.all(
    samples.map(async ([name, label]) => [name, await printed(name, label, false)] as const),
  );
  for (const [name, pages] of together)
    if (pages.some(({ png }, i) => !pagesAlone.get(name)?.[i]?.png.equals(png)))
      throw refuse(`the sample "${name}" looks otherwise beside other labels: is an element not closed?`);
}

/** A page as PNG, and what a scanner reads there. */
type ScannedPage = { png: Buffer; codes: { format: string; text: string }[] };

/** Starts PDFium and ZXing from the files of their packages. */
async function startScanner() {
  // Loaded here, because most workers need no trial.
  const { prepareZXingModule, readBarcodes } = await import('zxing-wasm/reader');
  const wasm = readFileSync(new URL(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm')));
  // Without this file, ZXing would fetch it from the network.
  await prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(wasm).buffer }, fireImmediately: true });
  const rasterize = await startPdfium();

  return async (pdf: Uint8Array, page: number): Promise<ScannedPage> => {
    const png = toPng(rasterize(pdf, page, DOTS_PER_MM), DOTS_PER_MM);
    const found = await readBarcodes(png, { formats: ['Code128', 'QRCode'] });
    return { png, codes: found.map(({ format, text }) => ({ format, text })) };
  };
}
