import { readFile, readPasted } from './read-file.ts';
import { UnreadableFile } from './read-text.ts';

/** Reads one file or what was pasted, and answers its cells, or why it cannot be read. */
self.addEventListener('message', ({ data }: MessageEvent<Uint8Array | string>) => {
  try {
    self.postMessage({ cells: typeof data === 'string' ? readPasted(data) : readFile(data) });
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    self.postMessage({ reason: error.message });
  }
});
