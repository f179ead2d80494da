import type { LabelForm } from '#shared/contracts/label-job.ts';
import { DomainError } from '#shared/errors.ts';
import { findUnwanted, type LabelPrinterOptions, type PrintOrder } from '../batching/label-printer.ts';
import { type WaitingLabel, WaitingList } from '../batching/waiting-list.ts';
import type { WorkerMetrics } from '../metrics.ts';
import { ImageThread } from './image-thread.ts';
import type { PageTask } from './thread.ts';

type WaitingPage = WaitingLabel & PromiseWithResolvers<Uint8Array> & { task: PageTask };
type Order = Pick<PrintOrder, 'place' | 'key' | 'askedAt'>;
type Options = {
  timeoutMs: number;
  metrics?: Pick<WorkerMetrics, 'observePhase'>;
  awaited?: LabelPrinterOptions['awaited'];
};

/**
 * Draws labels that are printed as pictures, on one thread, page by page in the order of their places. Each job of the
 * queue has one page here at a time, so the concurrency of the queue's worker bounds how many wait.
 */
export class ImagePrinter {
  readonly #thread: ImageThread;
  readonly #metrics: Pick<WorkerMetrics, 'observePhase'> | undefined;
  readonly #waiting = new WaitingList<WaitingPage>(1);
  readonly #awaited: Options['awaited'];
  #drawing = false;

  constructor({ timeoutMs, metrics, awaited }: Options) {
    this.#thread = new ImageThread(timeoutMs);
    this.#awaited = awaited;
    this.#metrics = metrics;
  }

  /**
   * Draws the pages of a label's PDF.
   *
   * @param pages how many the label has: one, unless the form is ZPL.
   * @returns the file of the form.
   * @throws DomainError `image-failed` when the thread fails, `label-unwanted` when nobody waits for it any more.
   */
  async print(pdf: Uint8Array, pages: number, form: LabelForm, order: Order): Promise<Uint8Array> {
    const files: Uint8Array[] = [];
    for (let page = 0; page < pages; page++) {
      if ((await findUnwanted([order], this.#awaited)).length > 0) throw new DomainError('label-unwanted');
      files.push(await this.#draw({ pdf, page, form }, order));
    }
    return Buffer.concat(files);
  }

  /** Ends the thread; pages that wait fail. */
  close(): Promise<void> {
    return this.#thread.close();
  }

  #draw(task: PageTask, { place }: Order): Promise<Uint8Array> {
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
    await this.#thread.draw(next.task).then(next.resolve, next.reject);
    this.#metrics?.observePhase('image', performance.now() - started);
    this.#drawing = false;
    void this.#drawNext();
  }
}
