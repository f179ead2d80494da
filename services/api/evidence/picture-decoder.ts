import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import fastq from 'fastq';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { DecodedPicture, PictureTask } from './decoding-thread.ts';
import { readHead } from './picture-head.ts';

/** Longest time for one picture, in ms. A usual one takes half a second. */
const TIMEOUT_MS = 15_000;
/** Pictures that wait. A request beyond them is told to come again, in seconds. */
const MAX_WAITING = 20;
const RETRY_AFTER_S = 10;
/** The memory of decoders grows to that of the largest picture, and never shrinks: the thread ends after such a pause, in ms. */
const IDLE_MS = 10_000;
/** Of JavaScript, in MB. The pixels stand beside it, and `readHead` bounds them. */
const HEAP_MB = 64;

/**
 * Decodes pictures one by one in a thread, so that no picture holds up the requests of others. The thread starts with the
 * first picture, and is replaced when a picture kills it or takes too long.
 */
export class PictureDecoder {
  readonly #turns = fastq.promise((task: PictureTask) => this.#decode(task), 1);
  readonly #timeoutMs: number;
  #thread: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** @param timeoutMs for one picture; only tests change it. */
  constructor(timeoutMs = TIMEOUT_MS) {
    this.#timeoutMs = timeoutMs;
  }

  /**
   * @throws DomainError as `readHead`; `picture-unreadable` for pixels that cannot be decoded; `overloaded` if too many
   * wait, or the picture takes too long.
   */
  async decode(bytes: Buffer): Promise<DecodedPicture> {
    const head = readHead(bytes);
    if (this.#turns.length() >= MAX_WAITING) throw overloaded();
    return this.#turns.push({ bytes: new Uint8Array(bytes.subarray(0, head.end)), head });
  }

  /** Ends the thread. Pictures that wait fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#endThread();
  }

  async #decode(task: PictureTask): Promise<DecodedPicture> {
    if (this.#isClosed) throw new DomainError('unavailable');
    clearTimeout(this.#idle);
    this.#thread ??= this.#startThread();
    const thread = this.#thread;
    const time = AbortSignal.timeout(this.#timeoutMs);
    const ended = new AbortController();
    const end = () => ended.abort(new Error('The thread that decodes pictures has ended'));
    thread.once('exit', end);
    thread.postMessage(task, [task.bytes.buffer]);
    try {
      // Rejects with the thread's own error, too.
      const [decoded] = await once(thread, 'message', { signal: AbortSignal.any([ended.signal, time]) });
      this.#idle = setTimeout(() => void this.#endThread(), IDLE_MS).unref();
      return decoded;
    } catch (cause) {
      await this.#endThread();
      if (this.#isClosed) throw new DomainError('unavailable', { cause });
      throw time.aborted ? overloaded(cause) : new DomainError('picture-unreadable', { cause });
    } finally {
      thread.off('exit', end);
    }
  }

  #startThread(): Worker {
    const thread = new Worker(new URL('./decoding-thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
      // Decoders write of what is wrong with a picture.
      stdout: true,
      stderr: true,
    });
    // Without a listener an error would end the process. `#decode` reports it.
    thread.on('error', () => {});
    thread.on('exit', () => {
      if (this.#thread === thread) this.#thread = undefined;
    });
    return thread;
  }

  async #endThread(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    clearTimeout(this.#idle);
    await thread?.terminate();
  }
}

function overloaded(cause?: unknown): DomainError {
  return new DomainError('overloaded', { cause, params: { seconds: RETRY_AFTER_S } });
}
