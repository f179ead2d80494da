import { deflateSync } from 'node:zlib';
import { type Bitmap, COMPRESSION } from './bitmap.ts';

/** Largest graphic of one `^GF`, in bytes (ZPL II Programming Guide, "^GF"). */
const MAX_GRAPHIC_BYTES = 99_999;

/**
 * Resets what an earlier job may have left: half density (`^JM`), units and their conversion (`^MU`), orientation
 * (`^PO`), mirror image (`^PM`), white on black (`^LR`), origin (`^LH`), shift to the left (`^LS`) and down (`^LT`).
 * Equal densities end a conversion; only 300 is allowed on both sides ("^MU").
 */
const RESET = '^JMA^MUD,300,300^PON^PMN^LRN^LH0,0^LS0^LT0';

/** Writes a page of ZPL II that prints a bitmap dot for dot, as compressed graphics below one another. */
export function toZpl({ width, height, rowBytes, bits }: Bitmap): Buffer {
  const rows = Math.floor(MAX_GRAPHIC_BYTES / rowBytes);
  const graphics: string[] = [];
  for (let y = 0; y < height; y += rows) {
    const graphic = bits.subarray(y * rowBytes, (y + rows) * rowBytes);
    graphics.push(`^FO0,${y}^GFA,${graphic.length},${graphic.length},${rowBytes},${z64(graphic)}^FS\n`);
  }
  return Buffer.from(`^XA\n${RESET}\n^PW${width}\n^LL${height}\n${graphics.join('')}^XZ\n`, 'latin1');
}

/** Returns bytes as `:Z64:`, which is zlib in base64 with the CRC of its characters. */
function z64(bytes: Uint8Array): string {
  const base64 = deflateSync(bytes, COMPRESSION).toString('base64');
  return `:Z64:${base64}:${crc16(base64).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** The CRC of 16 bits with the polynomial x¹⁶ + x¹² + x⁵ + 1, from 0 (CRC-16/XMODEM). */
function crc16(text: string): number {
  let crc = 0;
  for (let i = 0; i < text.length; i++) {
    const high = ((crc >> 8) ^ text.charCodeAt(i)) & 0xff;
    crc = ((crc << 8) ^ (CRC_OF_BYTE[high] ?? 0)) & 0xffff;
  }
  return crc;
}

const CRC_OF_BYTE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  return crc;
});
