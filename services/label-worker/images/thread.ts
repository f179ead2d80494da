import { type MessagePort, parentPort } from 'node:worker_threads';
import type { ImageFormat } from '#shared/labels/label-payload.ts';
import { startPdfium } from '#shared/pdf/pdfium.ts';
import { toBitmap } from './bitmap.ts';
import { toPng } from './png.ts';
import { toZpl } from './zpl.ts';

/** Draws pages, one after the other. An error ends the thread, because PDFium's memory may be corrupt. */

/** `page` counts from 0. */
export type PageTask = ImageFormat & { pdf: Uint8Array; page: number };

/** The trade calls heads of 8 dots "203 dpi". */
const DOTS_PER_MM = { 203: 8, 300: 300 / 25.4 } as const;

const port = parentPort as MessagePort;
const { rasterize } = await startPdfium();
port.on('message', ({ pdf, page, format, dpi }: PageTask) => {
  const bitmap = toBitmap(rasterize(pdf, page, DOTS_PER_MM[dpi]));
  const file = format === 'png' ? toPng(bitmap, DOTS_PER_MM[dpi]) : toZpl(bitmap);
  port.postMessage(file);
});
