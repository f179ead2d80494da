import { readFileSync } from 'node:fs';
import { LABEL_KINDS, type LabelKind } from '#shared/labels/label-kinds.ts';
import type { LabelPayload } from '#shared/labels/label-payload.ts';
import { startPdfium } from '#shared/pdf/pdfium.ts';
import { pageCount } from '#shared/printing/label-job.ts';
import { isBrowserFailure } from './batching/print-batch.ts';
import { DOTS_PER_MM } from './drawing.ts';
import { toBitmap } from './images/bitmap.ts';
import { toPng } from './images/png.ts';
import { renderLabel } from './label/render-label.ts';
import { TemplateError } from './label/template-files/compile-template.ts';
import { LONGEST, sampleLabels, USUAL } from './label/template-files/sample-labels.ts';
import { type LabelTemplates, OUR_TEMPLATES } from './label/templates.ts';
import { markOf, printedPackages } from './label/view.ts';

/** `alone`: in a document of its own. */
type Printer = {
  print(label: LabelPayload, order: { alone: boolean }, sample: string): Promise<Uint8Array>;
};
type Scan = Awaited<ReturnType<typeof startScanner>>;

/**
 * Prints the sample labels with each template of an operator's own, and reads their codes and addresses back from the
 * PDFs.
 * @returns warnings: which parts of the longest address a template cuts.
 * @throws TemplateError if a label does not print, has wrong pages or codes, lacks a mark, or looks different beside others.
 * @throws DomainError `browser-failed` if Chromium is at fault.
 */
export async function tryTemplates(templates: LabelTemplates, printer: Printer): Promise<string[]> {
  const own = LABEL_KINDS.filter((kind) => templates[kind] !== OUR_TEMPLATES[kind]);
  if (own.length === 0) return [];
  const scan = await startScanner();
  const warnings: string[] = [];
  for (const kind of own) warnings.push(...(await tryTemplate(kind, templates, printer, scan)));
  return warnings;
}

async function tryTemplate(
  kind: LabelKind,
  templates: LabelTemplates,
  printer: Printer,
  scan: Scan,
): Promise<string[]> {
  const { file } = templates[kind];
  const refuse = (reason: string) => new TemplateError(file, undefined, reason);
  const printed = async (name: string, label: LabelPayload, alone: boolean): Promise<ScannedPage[]> => {
    const pdf = await printer.print(label, { alone }, name).catch((error: Error) => {
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
    const packages = printedPackages(label);
    for (const [i, page] of pages.entries()) {
      const mark = markOf(label, packages[i] ?? 1);
      if (!lettersOf(page.text).includes(lettersOf(mark)))
        throw refuse(`the mark "${mark}" is not whole on page ${i + 1} of the sample "${name}"`);
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
  const textOf = (name: string) => pagesAlone.get(name)?.[0]?.text ?? '';
  const cut = cutParts(kind, textOf(USUAL), textOf(LONGEST));
  return cut.length > 0
    ? [`${file}: the longest address is cut: ${cut.join(', ')}. Such a parcel may not reach its door`]
    : [];
}

/** What a parcel needs to reach its door. */
const NEEDED = [
  'Nombre',
  'Calle',
  'Numero_exterior',
  'Numero_interior',
  'Colonia',
  'CodigoPostal',
  'Municipio',
  'Estado',
  'Celular',
  'Telefono',
] as const;

/** Returns the fields of the recipient that a template shows of a usual address, and not all of the longest one. */
function cutParts(kind: LabelKind, usual: string, longest: string): string[] {
  const samples = sampleLabels(kind);
  const isShown = (field: (typeof NEEDED)[number], sample: string, text: string) =>
    lettersOf(text).includes(lettersOf(samples[sample]?.guide.Destinatario[field] ?? ''));
  return NEEDED.filter((field) => isShown(field, USUAL, usual) && !isShown(field, LONGEST, longest)).map(
    (field) => `Destinatario.${field}`,
  );
}

/** Leaves out blanks and signs, which differ where a line ends. */
function lettersOf(text: string): string {
  return text.normalize().replace(/[^\p{L}\p{N}]/gu, '');
}

/** A page as PNG, its text, and what a scanner reads there. */
type ScannedPage = { png: Buffer; text: string; codes: { format: string; text: string }[] };

/** Starts PDFium and ZXing from the files of their packages. */
async function startScanner() {
  // Loaded here, because most workers need no trial.
  const { prepareZXingModule, readBarcodes } = await import('zxing-wasm/reader');
  const wasm = readFileSync(new URL(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm')));
  // Without this file, ZXing would fetch it from the network.
  await prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(wasm).buffer }, fireImmediately: true });
  const { rasterize, textOf } = await startPdfium();

  return async (pdf: Uint8Array, page: number): Promise<ScannedPage> => {
    const png = toPng(toBitmap(rasterize(pdf, page, DOTS_PER_MM)), DOTS_PER_MM);
    const found = await readBarcodes(png, { formats: ['Code128', 'QRCode'] });
    return { png, text: textOf(pdf, page), codes: found.map(({ format, text }) => ({ format, text })) };
  };
}
