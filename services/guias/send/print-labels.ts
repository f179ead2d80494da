import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { MAX_GUIDES } from '#shared/contracts/guide.ts';
import { type KindName, MAX_FILE_PAGES } from '#shared/contracts/label-file.ts';
import { LabelFile } from '#shared/pdf/label-file.ts';
import type { GuidesApi } from '../api/guides-api.ts';
import type { Shipment } from './create-guides.ts';

/**
 * Prints the labels of all shipments into one PDF, in the order of the file. The file appears when it is whole.
 *
 * @param onProgress is called with the number of guides printed so far.
 */
export async function printLabels(
  api: GuidesApi,
  shipments: readonly Shipment[],
  { path, kind }: { path: string; kind: KindName },
  onProgress: (printed: number) => void,
): Promise<void> {
  const partial = `${path}.parcial`;
  await pipeline(Readable.from(pieces(api, shipments, kind, onProgress)), createWriteStream(partial));
  await rename(partial, path);
}

async function* pieces(
  api: GuidesApi,
  shipments: readonly Shipment[],
  kind: KindName,
  onProgress: (printed: number) => void,
): AsyncGenerator<Buffer> {
  const file = new LabelFile();
  yield file.begin(`${shipments.length} guias`);
  let printed = 0;
  for (const part of requestsOf(shipments, kind)) {
    const numbers = part.map(({ guide }) => guide.SEND_GUIA);
    yield file.add(Buffer.from(await api.print(numbers, kind)));
    printed += part.length;
    onProgress(printed);
  }
  yield file.end();
}

/** Splits shipments so that no request has too many guides or pages. */
function requestsOf(shipments: readonly Shipment[], kind: KindName): Shipment[][] {
  const requests: Shipment[][] = [];
  let pages = Number.POSITIVE_INFINITY;
  for (const shipment of shipments) {
    const more = kind === 'carta' ? 1 : packagesOf(shipment);
    if (pages + more > MAX_FILE_PAGES || (requests.at(-1)?.length ?? 0) === MAX_GUIDES) {
      requests.push([]);
      pages = 0;
    }
    requests.at(-1)?.push(shipment);
    pages += more;
  }
  return requests;
}

function packagesOf({ order }: Shipment): number {
  const { Paquetes = 1 } = order.guide.Producto as { Paquetes?: number };
  return Paquetes;
}
