import { inflateSync } from 'node:zlib';

/** Dots of a picture, a byte each from 0 for black to 255, row by row from the top. */
export type Picture = { width: number; height: number; grey: Uint8Array };

/** A graphic (ZPL II, `^GF` with compressed data): its top, its bytes, the bytes of a row, and its data. */
const GRAPHIC = /\^FO0,(\d+)\^GFA,\d+,(\d+),(\d+),:Z64:([^:]*):/g;

/** Draws the first page of a ZPL file that holds nothing but compressed graphics, as ours do. @throws Error where it is damaged. */
export function readZpl(file: Uint8Array): Picture {
  const [, page = ''] = Buffer.from(file).toString('latin1').split('^XA');
  const [, width = 0, height = 0] = (/\^PW(\d+)\s*\^LL(\d+)/.exec(page) ?? []).map(Number);
  if (width === 0 || !page.includes('^XZ')) throw new Error('A page of ZPL is not whole');
  const rowDots = 8 * Math.ceil(width / 8);
  const grey = new Uint8Array(rowDots * height).fill(255);
  for (const [, top, length, rowBytes, base64 = ''] of page.matchAll(GRAPHIC)) {
    const bits = inflateSync(Buffer.from(base64, 'base64'));
    if (bits.length !== Number(length) || 8 * Number(rowBytes) !== rowDots)
      throw new Error('A graphic of ZPL has another length');
    const first = Number(top) * rowDots;
    for (const [i, byte] of bits.entries())
      for (let bit = 0; bit < 8; bit++) if (byte & (128 >> bit)) grey[first + 8 * i + bit] = 0;
  }
  return { width: rowDots, height, grey };
}
