import { write, writeSync } from 'node:fs';

/** Pause before lines that could not be written are tried again, in ms. */
const RETRY_MS = 200;
/** Most characters that wait while the log cannot be written, or nobody reads it; later lines are lost. */
const MAX_WAITING = 1_000_000;
/** Longest wait at the end of the process for room in a pipe that is full, and for what the system is writing, in ms. */
const FULL_MS = 1_000;
const HANDED_OVER_MS = 50;
const PAUSE_MS = 10;

/**
 * Writes log lines to a file descriptor in the background, in order. While they cannot be written, as on a full disk, or are not
 * read, the first ones wait and the rest is lost: no log ends a service. pino's own destination throws then, and tries for ever
 * when a process ends (sonic-boom, `flushSync`).
 */
export class LogOutput {
  readonly #fd: number;
  #waiting = '';
  /** What has been handed to the system, or is tried again. */
  #bytes: Buffer = Buffer.alloc(0);
  #isHandedOver = false;
  #isWriting = false;
  /** Lines since the last that could wait. */
  #lost = 0;
  /** Since when lines cannot be written, and why. */
  #outage: { reason: string; began: Date } | undefined;

  constructor(fd: number) {
    this.#fd = fd;
    process.once('exit', () => this.flushSync());
  }

  /** @param line ends with a line break. */
  write(line: string): void {
    if (this.#waiting.length > MAX_WAITING) this.#lost++;
    else this.#waiting += line;
    if (this.#isWriting) return;
    this.#isWriting = true;
    // Until then, `flushSync` can still write the line itself: the last one before the process ends.
    setImmediate(() => this.#writeWaiting());
  }

  /**
   * Writes what waits, and gives up at the first error but that of a full pipe, which lasts a second: at the end of the process, and
   * by pino after a fatal error.
   */
  flushSync(): void {
    if (this.#outage) return;
    // Its end is not seen before this function returns. It takes less, unless nobody reads.
    if (this.#isHandedOver) pause(HANDED_OVER_MS);
    let rest = Buffer.from(this.#waiting);
    if (!this.#isHandedOver) {
      rest = Buffer.concat([this.#bytes, rest]);
      this.#bytes = Buffer.alloc(0);
    }
    this.#waiting = '';
    let wroteAt = performance.now();
    while (rest.length > 0) {
      try {
        rest = rest.subarray(writeSync(this.#fd, rest));
        wroteAt = performance.now();
      } catch (error) {
        if (!isFull(error) || performance.now() - wroteAt > FULL_MS) break;
        pause(PAUSE_MS);
      }
    }
    // For a process that goes on.
    this.#waiting = rest.toString();
  }

  #writeWaiting(): void {
    if (this.#bytes.length === 0) {
      this.#bytes = Buffer.from(this.#waiting);
      this.#waiting = '';
    }
    this.#isWriting = this.#bytes.length > 0;
    if (!this.#isWriting) return;
    this.#isHandedOver = true;
    write(this.#fd, this.#bytes, (error, written) => {
      this.#isHandedOver = false;
      if (error) return this.#tryLater(error);
      this.#bytes = this.#bytes.subarray(written);
      if (this.#bytes.length === 0) this.#recover();
      this.#writeWaiting();
    });
  }

  #tryLater(error: NodeJS.ErrnoException): void {
    if (!isFull(error) && !this.#outage) {
      this.#outage = { reason: error.message, began: new Date() };
      writeToStderr(`The log cannot be written, its next lines may be lost: ${error.message}\n`);
    }
    setTimeout(() => this.#writeWaiting(), RETRY_MS).unref();
  }

  #recover(): void {
    if (!this.#outage && this.#lost === 0) return;
    const { reason = 'It was not read in time', began } = this.#outage ?? {};
    const msg = `The log is written again, ${this.#lost} lines are lost`;
    this.#outage = undefined;
    this.#lost = 0;
    this.#waiting += `${JSON.stringify({ level: 'warn', time: new Date().toISOString(), reason, began, msg })}\n`;
  }
}

/** Returns whether a pipe is full for a moment, which many logs are. */
function isFull(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EAGAIN';
}

/** Stops the process for so long, in ms. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Standard error may be on the same full disk, and `process.stderr` would report that as an uncaught error. */
function writeToStderr(text: string): void {
  try {
    writeSync(2, text);
  } catch {
    // Nobody sees it.
  }
}
