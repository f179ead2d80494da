import { readFileSync } from 'node:fs';
import { init } from '@embedpdf/pdfium';

/** Named as in PDFium's C interface (public/fpdfview.h). */
const FPDFBitmap_Gray = 1;
const WHITE = 0xffff_ffff;
const FPDF_GRAYSCALE = 0x08;
const FPDF_RENDER_NO_SMOOTHTEXT = 0x1000;
const FPDF_RENDER_NO_SMOOTHPATH = 0x4000;
/**
 * Draws edges of letters, rules and codes in black or white. Smooths pictures, because a logo seldom has the density of
 * the print head.
 */
const FLAGS = FPDF_GRAYSCALE | FPDF_RENDER_NO_SMOOTHTEXT | FPDF_RENDER_NO_SMOOTHPATH;

const POINTS_PER_MM = 72 / 25.4;
/** Twice the dots of a letter page at 300 dpi. While a page is drawn, a dot takes a byte. */
const MAX_DOTS = 2 * 2_550 * 3_300;
/** A matrix has six numbers of 32 bits, a rectangle four. */
const [MATRIX_BYTES, RECTANGLE_BYTES] = [24, 16];
/** Sizes are binary fractions, so less than this share of a dot adds no dot. */
const ROUNDING = 0.01;

/**
 * The dots of a page, a byte each from 0 for black to 255, row by row from the top. A row has the width rounded up to eight dots; those
 * beyond the width are white.
 */
export type GreyPage = { width: number; height: number; rowBytes: number; grey: Uint8Array };

/** A character that a page says, and the box of its shape, in points from the page's lower left corner. */
export type PlacedLetter = { letter: string; left: number; right: number; bottom: number; top: number };

/** `page` counts from 0. Texts are in the order in which they are drawn, also what nobody can see. */
export type Pdfium = {
  rasterize(pdf: Uint8Array, page: number, dotsPerMm: number): GreyPage;
  textOf(pdf: Uint8Array, page: number): string;
  lettersOf(pdf: Uint8Array, page: number): PlacedLetter[];
};

/** Starts PDFium from the file of its package, without the network. */
export async function startPdfium(): Promise<Pdfium> {
  const file = readFileSync(new URL(import.meta.resolve('@embedpdf/pdfium/pdfium.wasm')));
  const library = await init({ wasmBinary: new Uint8Array(file).buffer });
  library.PDFiumExt_Init();
  const memory = library.pdfium;
  const { malloc, free } = memory.wasmExports;

  /** Scales exactly from the upper left corner, so that dots of the label are dots of the picture. */
  function drawPage(page: number, dotsPerMm: number): GreyPage {
    const scale = dotsPerMm / POINTS_PER_MM;
    const width = Math.ceil(library.FPDF_GetPageWidthF(page) * scale - ROUNDING);
    const height = Math.ceil(library.FPDF_GetPageHeightF(page) * scale - ROUNDING);
    if (width * height > MAX_DOTS) throw new Error(`A page of ${width} × ${height} dots is too large`);
    const rowBytes = 8 * Math.ceil(width / 8);
    const bitmap = library.FPDFBitmap_CreateEx(rowBytes, height, FPDFBitmap_Gray, 0, 0);
    const matrix = malloc(MATRIX_BYTES + RECTANGLE_BYTES);
    try {
      new Float32Array(memory.HEAPU8.buffer, matrix).set([scale, 0, 0, scale, 0, 0, 0, 0, width, height]);
      library.FPDFBitmap_FillRect(bitmap, 0, 0, rowBytes, height, WHITE);
      library.FPDF_RenderPageBitmapWithMatrix(bitmap, page, matrix, matrix + MATRIX_BYTES, FLAGS);
      const first = library.FPDFBitmap_GetBuffer(bitmap);
      return { width, height, rowBytes, grey: memory.HEAPU8.slice(first, first + rowBytes * height) };
    } finally {
      free(matrix);
      library.FPDFBitmap_Destroy(bitmap);
    }
  }

  function readText(page: number): string {
    const text = library.FPDFText_LoadPage(page);
    const count = library.FPDFText_CountChars(text);
    // UTF-16, with a zero at the end.
    const bytes = malloc(2 * (count + 1));
    try {
      const written = library.FPDFText_GetText(text, 0, count, bytes);
      return Buffer.from(memory.HEAPU8.buffer, bytes, 2 * Math.max(0, written - 1)).toString('utf16le');
    } finally {
      free(bytes);
      library.FPDFText_ClosePage(text);
    }
  }

  function placeLetters(page: number): PlacedLetter[] {
    const text = library.FPDFText_LoadPage(page);
    // Four numbers of 64 bits: left, right, bottom and top.
    const box = malloc(4 * 8);
    try {
      return Array.from({ length: library.FPDFText_CountChars(text) }, (_, i) => {
        library.FPDFText_GetCharBox(text, i, box, box + 8, box + 16, box + 24);
        const [left = 0, right = 0, bottom = 0, top = 0] = new Float64Array(memory.HEAPU8.buffer, box, 4);
        const letter = String.fromCodePoint(library.FPDFText_GetUnicode(text, i));
        return { letter, left, right, bottom, top };
      });
    } finally {
      free(box);
      library.FPDFText_ClosePage(text);
    }
  }

  function onPage<T>(pdf: Uint8Array, page: number, use: (opened: number) => T): T {
    const bytes = malloc(pdf.length);
    memory.HEAPU8.set(pdf, bytes);
    const document = library.FPDF_LoadMemDocument(bytes, pdf.length, '');
    const opened = library.FPDF_LoadPage(document, page);
    try {
      if (!opened) throw new Error(`PDFium cannot open page ${page}: error ${library.FPDF_GetLastError()}`);
      return use(opened);
    } finally {
      library.FPDF_ClosePage(opened);
      library.FPDF_CloseDocument(document);
      free(bytes);
    }
  }

  return {
    rasterize: (pdf, page, dotsPerMm) => onPage(pdf, page, (opened) => drawPage(opened, dotsPerMm)),
    textOf: (pdf, page) => onPage(pdf, page, readText),
    lettersOf: (pdf, page) => onPage(pdf, page, placeLetters),
  };
}
