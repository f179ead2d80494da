import { startWorker } from '../../api/workers.ts';
import { MAX_BYTES } from './read-file.ts';
import { type Cells, UnreadableFile } from './read-text.ts';

/** Longest time in which a file is read, in ms. */
const TIMEOUT_MS = 10_000;
const UNREAD =
  'El archivo no se pudo leer. Vuelva a cargar la página y elíjalo otra vez: el mostrador pudo cambiar desde que la abrió.';

/** Reads a file, or cells that were pasted, beside the page, which so never hangs. @throws UnreadableFile */
export async function readInWorker(source: File | string): Promise<Cells> {
  if (source instanceof File && source.size > MAX_BYTES)
    throw new UnreadableFile('El archivo mide más de 64 MiB: divídalo en varios.');
  const data = typeof source === 'string' ? source : await bytesOf(source);
  const worker = startWorker('reader');
  const { promise, resolve, reject } = Promise.withResolvers<Cells>();
  const timer = setTimeout(
    () => reject(new UnreadableFile('El archivo no se pudo leer en diez segundos: divídalo en varios.')),
    TIMEOUT_MS,
  );
  worker.onerror = () => reject(new UnreadableFile(UNREAD));
  worker.onmessage = ({ data: { cells, reason } }: MessageEvent<{ cells?: Cells; reason?: string }>) =>
    cells ? resolve(cells) : reject(new UnreadableFile(reason ?? UNREAD));
  worker.postMessage(data);
  return promise.finally(() => {
    clearTimeout(timer);
    worker.terminate();
  });
}

/** A file that somebody else has open, or that is gone. */
async function bytesOf(file: File): Promise<Uint8Array> {
  try {
    return new Uint8Array(await file.arrayBuffer());
  } catch {
    throw new UnreadableFile(
      'El archivo no se pudo abrir. Ciérrelo en los demás programas y elíjalo otra vez.',
    );
  }
}
