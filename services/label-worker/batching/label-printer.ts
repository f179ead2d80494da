import type { LabelPayload } from '#shared/contracts/label-job.ts';
import { DomainError } from '#shared/errors.ts';
import type { RecordSpan, Tracing } from '#shared/observability/tracing.ts';
import type { PrintingBrowser } from '../chromium/browser.ts';
import { labelDrawing } from '../label/label-drawing.ts';
import { labelHtml, pagesOf } from '../label/label-html.ts';
import { type Part, split } from '../pdf/split.ts';

/** Most pages in one print, unless a single label has more; a print of 100 takes about 0.3 s. */
const BATCH_PAGES = 100;

export type LabelPrinter = {
  /**
   * @param options.alone prints the label in a document of its own.
   * @returns the label as PDF.
   * @throws DomainError `label-unprintable` for the label's own sake, `browser-failed` for Chromium's.
   */
  print(label: LabelPayload, options?: { alone: boolean }): Promise<Uint8Array>;
};

/** Is told what happens, for those who measure it. */
export type PrinterObserver = {
  /** `html` and `wait` are of a label, `split` is of a batch. */
  phase(phase: 'html' | 'wait' | 'split', ms: number): void;
  /** A lane takes so many labels. */
  batch(labels: number): void;
};

type Waiting = PromiseWithResolvers<Uint8Array> & {
  html: string;
  part: Part;
  alone: boolean;
  /** Of `performance.now()`. */
  since: number;
  /** Into the label's own trace. */
  record: RecordSpan | undefined;
};

/**
 * Prints labels in batches: what waits is printed at once, so nobody waits for a batch to fill, and the fuller the queue
 * the larger the batches. Only while others print, a lane begins when as many wait as they print: small prints cost more
 * a label, and at half of the top load took what others waited for. What waits is bounded by the worker's concurrency.
 */
export function createLabelPrinter(
  browser: Pick<PrintingBrowser, 'print'>,
  { lanes, batchLabels }: { lanes: number; batchLabels: number },
  observer: PrinterObserver = { phase() {}, batch() {} },
  tracing?: Tracing,
): LabelPrinter {
  let waiting: Waiting[] = [];
  /** Lanes that print, and how many labels they print. */
  let busy = 0;
  let printing = 0;
  let afterLarge = false;

  function fillLanes(): void {
    while (busy < lanes && waiting.length > 0 && waiting.length >= printing) {
      const batch = nextBatch();
      busy++;
      printing += batch.length;
      void printBatch(batch).finally(() => {
        busy--;
        printing -= batch.length;
        fillLanes();
      });
    }
  }

  function nextBatch(): Waiting[] {
    // After a large label those that are not: ten of 99 packages would hold up all others, and vice versa.
    const others = afterLarge ? waiting.filter((label) => !isLarge(label)) : [];
    const from = others.length > 0 ? others : waiting;
    const batch = from.slice(0, batchSize(from, batchLabels));
    waiting = waiting.filter((label) => !batch.includes(label));
    afterLarge = batch.some(isLarge);
    observer.batch(batch.length);
    const now = performance.now();
    for (const { since, record } of batch) {
      observer.phase('wait', now - since);
      record?.('wait', since, now);
    }
    return batch;
  }

  /** Never rejects: each label of the batch gets its bytes or its error. */
  async function printBatch(batch: readonly Waiting[]): Promise<void> {
    const started = performance.now();
    try {
      const print = await browser.print(batch.map(({ html }) => html).join(''));
      const printed = performance.now();
      const files = await split(
        print,
        batch.map(({ part }) => part),
      );
      observer.phase('split', performance.now() - printed);
      recordPrint(batch, started);
      for (const [i, file] of files.entries()) batch[i]?.resolve(file);
    } catch (cause) {
      const failed = cause instanceof DomainError && cause.code === 'browser-failed';
      recordPrint(batch, started, failed ? 'browser-failed' : 'label-unprintable');
      if (failed) for (const { reject } of batch) reject(cause);
      else if (batch.length === 1) batch[0]?.reject(new DomainError('label-unprintable', { cause }));
      else {
        // One of them is to blame: halve until it stands alone, so that the others are delivered.
        const half = Math.ceil(batch.length / 2);
        await printBatch(batch.slice(0, half));
        await printBatch(batch.slice(half));
      }
    }
  }

  return {
    async print(label, { alone } = { alone: false }) {
      const started = performance.now();
      const { html, part } = compose(label);
      const since = performance.now();
      observer.phase('html', since - started);
      const job = {
        ...Promise.withResolvers<Uint8Array>(),
        html,
        part,
        alone,
        since,
        record: tracing?.recorder(),
      };
      waiting.push(job);
      fillLanes();
      return job.promise;
    },
  };
}

/** A print serves several labels, and is in the trace of each, with how many shared it. */
function recordPrint(batch: readonly Waiting[], started: number, error?: string): void {
  const ended = performance.now();
  const attributes = { 'batch.labels': batch.length, ...(error && { 'error.type': error }) };
  for (const { record } of batch) record?.('print', started, ended, attributes);
}

/** How many of those that wait go into the next batch: at least one. */
function batchSize(waiting: readonly Waiting[], most: number): number {
  let pages = 0;
  let size = 0;
  for (const label of waiting.slice(0, most)) {
    const alone = label.alone || isLarge(label);
    pages += label.part.pages;
    if (size > 0 && (alone || pages > BATCH_PAGES)) break;
    size++;
    if (alone) break;
  }
  return size;
}

/** A label that takes as long as a batch: printed by itself, so that no other waits for its pages. */
function isLarge({ part }: Waiting): boolean {
  return part.pages > BATCH_PAGES / 4;
}

function compose(label: LabelPayload): { html: string; part: Part } {
  try {
    const drawing = labelDrawing(label);
    const part = { pages: pagesOf(label), title: `Guía ${label.number}`, drawing };
    return { html: labelHtml(label), part };
  } catch (cause) {
    throw new DomainError('label-unprintable', { cause });
  }
}
