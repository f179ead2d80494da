import { readFileSync } from 'node:fs';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';
import { type GreyPage, type PlacedLetter, startPdfium } from '#shared/pdf/pdfium.ts';
import { type Picture, readZpl } from './zpl.ts';

/** What a page says. `text` is absent of a picture: letters are not recognised. */
export type Reading = { text?: string; codes: { format: string; text: string }[] };

/** Reads the first page of a print. Each method throws where the file is damaged. */
export type Reader = {
  pdf(file: Uint8Array): Promise<Reading>;
  png(file: Uint8Array): Promise<Reading>;
  zpl(file: Uint8Array): Promise<Reading>;
};

/** Two thirds of a print head's dots: codes are read as surely, in half of the time. */
const DOTS_PER_MM = 16 / 3;
const POINTS_PER_MM = 72 / 25.4;

/**
 * Starts PDFium and ZXing from the files of their packages. PDFium does not make our PDFs. It does draw our PNG and ZPL, which are
 * therefore decoded without it.
 */
async function loadReader(): Promise<Reader> {
  const wasm = readFileSync(new URL(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm')));
  // Without this file, ZXing would fetch it from the network.
  await prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(wasm).buffer }, fireImmediately: true });
  const { rasterize, lettersOf } = await startPdfium();
  return {
    async pdf(file) {
      const page = rasterize(file, 0, DOTS_PER_MM);
      const seen = lettersOf(file, 0).filter((letter) => isSeen(letter, page));
      const text = seen.map(({ letter }) => letter).join('');
      return { text, codes: await codesIn(toPgm({ ...page, width: page.rowBytes })) };
    },
    png: async (file) => ({ codes: await codesIn(file) }),
    zpl: async (file) => ({ codes: await codesIn(toPgm(readZpl(file))) }),
  };
}

/** Starts the reader, and starts it anew after a trap, which leaves a module of WebAssembly unusable. */
export async function startReader(load = loadReader): Promise<Reader> {
  let reader = await load();
  const read = (format: keyof Reader) => async (file: Uint8Array) => {
    try {
      return await reader[format](file);
    } catch (error) {
      if ((error as Error).name === 'RuntimeError') reader = await load();
      throw error;
    }
  };
  return { pdf: read('pdf'), png: read('png'), zpl: read('zpl') };
}

/**
 * Reads the codes of a PNG or PGM. Rotated, inverted and shrunken codes are not looked for: a scanner at a branch reads them upright, and
 * the search takes time.
 */
async function codesIn(file: Uint8Array): Promise<Reading['codes']> {
  const found = await readBarcodes(file, {
    formats: ['Code128', 'QRCode'],
    tryRotate: false,
    tryInvert: false,
    tryDownscale: false,
  });
  return found.map(({ format, text }) => ({ format, text }));
}

/** Formats dots as binary PGM (netpbm): `P5 width height 255`, then a byte for each. */
function toPgm({ width, height, grey }: Picture): Buffer {
  return Buffer.concat([Buffer.from(`P5 ${width} ${height} 255\n`), grey]);
}

/**
 * Returns whether a letter can be seen: its box, a dot wider on each side, has both dark and light dots. A letter may be white, or
 * covered, and still be text of the file.
 */
function isSeen({ letter, left, right, bottom, top }: PlacedLetter, page: GreyPage): boolean {
  if (letter.trim() === '') return false;
  const scale = DOTS_PER_MM / POINTS_PER_MM;
  const [from, to] = [Math.max(0, Math.floor(left * scale) - 1), Math.ceil(right * scale) + 1];
  const first = Math.max(0, page.height - Math.ceil(top * scale) - 1);
  const last = Math.min(page.height, page.height - Math.floor(bottom * scale) + 1);
  let [dark, light] = [false, false];
  for (let y = first; y < last; y++) {
    const row = page.grey.subarray(y * page.rowBytes + from, y * page.rowBytes + Math.min(to, page.width));
    dark ||= row.some((dot) => dot < DARK);
    light ||= row.some((dot) => dot >= DARK);
    if (dark && light) return true;
  }
  return false;
}

const DARK = 128;
