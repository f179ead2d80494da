import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../setup-error.ts';
import { isStoppingAll, type OwnedProcess } from './owned-process.ts';

/** Pause before a process is started again, in ms. Each further pause is twice as long, up to the maximum. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
/** In ms: after so long a run, pauses begin with the first again. */
const WELL_AFTER_MS = 60_000;

/**
 * Starts a process again whenever it ends, until `stopAllProcesses`, with a line in its log.
 * @param onRestart gets the new process.
 * @returns stops the process for good.
 */
export function keepRunning(
  child: OwnedProcess,
  log: Log,
  onRestart: (child: OwnedProcess) => void = () => {},
): () => Promise<void> {
  const end = new AbortController();
  const isOver = () => end.signal.aborted || isStoppingAll();
  let current = child;
  async function restartUntilOver(): Promise<void> {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
      const began = performance.now();
      const { text } = await current.ended;
      if (isOver()) return;
      if (performance.now() - began > WELL_AFTER_MS) pause = FIRST_PAUSE_MS;
      const line = `${child.name} ended (${text}), starting it again in ${pause / 1_000} s.`;
      log(`${line} Its log: ${child.logFile}`);
      tryToAppend(child.logFile, `${line}\n`);
      await sleep(pause, undefined, { signal: end.signal }).catch(() => {});
      if (isOver()) return;
      current = current.startAgain();
      onRestart(current);
    }
  }
  void restartUntilOver();
  return async () => {
    end.abort();
    await current.stop();
  };
}

/** Does without the line on a full disk: the terminal has the same one. */
function tryToAppend(file: string, line: string): void {
  try {
    appendFileSync(file, line);
  } catch {
    // `watchDisk` says why.
  }
}
