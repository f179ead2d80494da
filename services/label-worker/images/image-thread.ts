import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { withTimeout } from '#shared/async/with-timeout.ts';
import { type CodesOf, DomainError } from '#shared/errors.ts';
import type { PageTask } from './thread.ts';

declare module '#shared/errors.ts' {
  interface ErrorCodes extends CodesOf<{ 'image-failed': unknown }> {}
}

/**
 * The thread that draws pages. It starts with the first page, and is replaced when it dies or takes too long; drawing on
 * the main thread would hold up the labels of all others.
 */
export class ImageThread {
  readonly #timeoutMs: number;
  #thread: Worker | undefined;
  #closed = false;

  /** @param timeoutMs time limit of one page. */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Draws one page. One call at a time.
   *
   * @throws DomainError `image-failed` when the thread dies or takes too long.
   */
  async draw(task: PageTask): Promise<Uint8Array> {
    if (this.#closed) throw new DomainError('image-failed');
    this.#thread ??= this.#start();
    const thread = this.#thread;
    const ended = new AbortController();
    const { signal } = ended;
    thread.postMessage(task);
    try {
      const drawn = once(thread, 'message', { signal }); // rejects with the thread's own error, too
      const exit = once(thread, 'exit', { signal }).then(() => {
        throw new Error('The thread that draws pages has ended');
      });
      const [file] = await withTimeout(this.#timeoutMs, 'Drawing a page', Promise.race([drawn, exit]));
      return file;
    } catch (cause) {
      await this.#end();
      throw new DomainError('image-failed', { cause });
    } finally {
      ended.abort();
    }
  }

  /** Ends the thread, and with it the page that it draws; there is no other. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#end();
  }

  #start(): Worker {
    const thread = new Worker(new URL('./thread.ts', import.meta.url));
    // Without a listener an error would end the process; `draw` says which page it was.
    thread.on('error', () => {});
    thread.on('exit', () => {
      if (this.#thread === thread) this.#thread = undefined;
    });
    return thread;
  }

  async #end(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.terminate();
  }
}
