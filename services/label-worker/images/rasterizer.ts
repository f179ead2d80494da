import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { withTimeout } from '#shared/async/with-timeout.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { ImageFormat } from '#shared/labels/label-payload.ts';
import { findUnwanted, type LabelPrinterOptions, type PrintOrder } from '../batching/label-printer.ts';
import { type WaitingLabel, WaitingList } from '../batching/waiting-list.ts';
import type { WorkerMetrics } from '../metrics.ts';
import type { PageTask } from './thread.ts';

type WaitingPage = WaitingLabel & PromiseWithResolvers<Uint8Array> & { task: PageTask };
type Order = Pick<PrintOrder, 'place' | 'key' | 'askedAt'>;
type Options = {
  /** For one page. */
  timeoutMs: number;
  metrics?: Pick<WorkerMetrics, 'observePhase'>;
  awaited?: LabelPrinterOptions['awaited'];
};

/**
 * Draws the pages of PDFs as PNG or ZPL, one by one in the order of the queue. A thread draws, so that the main thread
 * stays free. The thread starts with the first page, and is replaced when it dies or takes too long. The concurrency of the
 * queue's worker bounds how many pages wait.
 */
export class Rasterizer {
  readonly #options: Options;
  readonly #waiting = new WaitingList<WaitingPage>(1);
  #thread: Worker | undefined;
  #drawing = false;
  #closed = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /**
   * @param pages of the label: one, unless the format is ZPL.
   * @throws DomainError `image-failed` if the thread fails, `label-unwanted` if nobody waits for the label any more.
   */
  async rasterize(pdf: Uint8Array, pages: number, format: ImageFormat, order: Order): Promise<Uint8Array> {
    const files: Uint8Array[] = [];
    for (let page = 0; page < pages; page++) {
      const unwanted = await findUnwanted([order], this.#options.awaited);
      if (unwanted.length > 0) throw new DomainError('label-unwanted');
      files.push(await this.#enqueue({ pdf, page, ...format }, order));
    }
    return Buffer.concat(files);
  }

  /** Ends the thread. The page that it draws and the waiting pages fail. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#endThread();
  }

  #enqueue(task: PageTask, { place }: Order): Promise<Uint8Array> {
    const waiting = Promise.withResolvers<Uint8Array>();
    this.#waiting.add({ ...waiting, task, place, pages: 1, alone: true });
    void this.#drawNext();
    return waiting.promise;
  }

  async #drawNext(): Promise<void> {
    if (this.#drawing) return;
    const [next] = this.#waiting.takeBatch();
    if (!next) return;
    this.#drawing = true;
    const started = performance.now();
    await this.#draw(next.task).then(next.resolve, next.reject);
    this.#options.metrics?.observePhase('image', performance.now() - started);
    this.#drawing = false;
    void this.#drawNext();
  }

  async #draw(task: PageTask): Promise<Uint8Array> {
    if (this.#closed) throw new DomainError('image-failed');
    this.#thread ??= this.#startThread();
    const thread = this.#thread;
    const ended = new AbortController();
    const end = () => ended.abort(new Error('The thread that draws pages has ended'));
    thread.once('exit', end);
    thread.postMessage(task);
    try {
      const drawn = once(thread, 'message', { signal: ended.signal }); // rejects with the thread's own error, too
      const [file] = await withTimeout(this.#options.timeoutMs, 'Drawing a page', drawn);
      return file;
    } catch (cause) {
      await this.#endThread();
      throw new DomainError('image-failed', { cause });
    } finally {
      thread.off('exit', end);
    }
  }

  #startThread(): Worker {
    const thread = new Worker(new URL('./thread.ts', import.meta.url));
    // Without a listener an error would end the process. `#draw` reports it.
    thread.on('error', () => {});
    thread.on('exit', () => {
      if (this.#thread === thread) this.#thread = undefined;
    });
    return thread;
  }

  async #endThread(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.terminate();
  }
}
