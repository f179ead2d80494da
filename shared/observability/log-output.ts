import { write, writeSync } from 'node:fs';

/** Pause before lines that could not be written are tried again, in ms. */
const RETRY_MS = 200;
/** Most characters that wait for a log that cannot be written; later lines are lost. */
const MAX_WAITING = 1_000_000;

/**
 * Writes log lines to a file descriptor in the background, in order. While they cannot be written, as on a full disk, the first
 * ones wait and the rest is lost: no log ends a service. pino's own destination throws then, and tries for ever when a process
 * ends (sonic-boom, `flushSync`).
 */
export class LogOutput {
  readonly #fd: number;
  #waiting = '';
  /** What has been handed to the system, or is tried again. */
  #bytes: Buffer = Buffer.alloc(0);
  #isWriting = false;
  #retry: NodeJS.Timeout | undefined;
  /** Since when lines cannot be written, and why. */
  #outage: { reason: string; began: Date; lost: number } | undefined;

  constructor(fd: number) {
    this.#fd = fd;
    process.once('exit', () => this.flushSync());
  }

  /** @param line ends with a line break. */
  write(line: string): void {
    if (this.#outage && this.#waiting.length > MAX_WAITING) this.#outage.lost++;
    else this.#waiting += line;
    if (!this.#isWriting) this.#writeWaiting();
  }

  /** Writes what waits, and gives up at the first error: at the end of the process, and by pino after a fatal error. */
  flushSync(): void {
    if (this.#outage) return;
    let rest = Buffer.concat([...(this.#retry ? [this.#bytes] : []), Buffer.from(this.#waiting)]);
    if (this.#retry) this.#bytes = Buffer.alloc(0);
    this.#waiting = '';
    try {
      while (rest.length > 0) rest = rest.subarray(writeSync(this.#fd, rest));
    } catch {
      // The process ends, and so does its log.
    }
  }

  #writeWaiting(): void {
    this.#isWriting = true;
    this.#retry = undefined;
    if (this.#bytes.length === 0) {
      this.#bytes = Buffer.from(this.#waiting);
      this.#waiting = '';
    }
    write(this.#fd, this.#bytes, (error, written) => {
      if (error) return this.#tryLater(error);
      this.#bytes = this.#bytes.subarray(written);
      if (this.#outage) this.#recover();
      if (this.#bytes.length > 0 || this.#waiting) this.#writeWaiting();
      else this.#isWriting = false;
    });
  }

  #tryLater({ code, message }: NodeJS.ErrnoException): void {
    // A pipe that is full for a moment, which many logs have.
    if (code !== 'EAGAIN' && !this.#outage) {
      this.#outage = { reason: message, began: new Date(), lost: 0 };
      writeToStderr(`The log cannot be written, its next lines may be lost: ${message}\n`);
    }
    this.#retry = setTimeout(() => this.#writeWaiting(), RETRY_MS).unref();
  }

  #recover(): void {
    const { reason, began, lost } = this.#outage ?? { lost: 0 };
    this.#outage = undefined;
    const msg = `The log is written again, ${lost} lines are lost`;
    this.#waiting += `${JSON.stringify({ level: 'warn', time: new Date().toISOString(), reason, began, msg })}\n`;
  }
}

/** Standard error may be on the same full disk, and `process.stderr` would report that as an uncaught error. */
function writeToStderr(text: string): void {
  try {
    writeSync(2, text);
  } catch {
    // Nobody sees it.
  }
}
