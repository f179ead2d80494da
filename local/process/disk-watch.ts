import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../setup-error.ts';

/** In ms. */
const CHECK_EACH_MS = 2_000;
/** A block of most file systems. */
const BLOCK_BYTES = 4_096;

/**
 * Says when nothing can be written to a folder any more, as on a full disk, and when that is over: logs in that folder cannot
 * say it.
 * @returns ends the watch.
 */
export function watchDisk(folder: string, log: Log): () => void {
  let known: string | undefined;
  const timer = setInterval(async () => {
    const problem = await problemOf(join(folder, 'disk-check'));
    if (problem && !known)
      log(`Nothing can be written to ${folder}: stores fail, logs lack lines. ${problem}`);
    if (!problem && known) log(`${folder} can be written again.`);
    known = problem;
  }, CHECK_EACH_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Returns why a file cannot be written. Removes the file at once: on a full disk it would keep its room. */
async function problemOf(file: string): Promise<string | undefined> {
  try {
    await writeFile(file, Buffer.alloc(BLOCK_BYTES));
    return undefined;
  } catch (error) {
    return (error as Error).message;
  } finally {
    await rm(file, { force: true }).catch(() => {});
  }
}
