import { DomainError } from '../../shared/errors.ts';
import type { LabelPayload } from '../../shared/label-job.ts';
import type { PrintingBrowser } from './browser.ts';
import { labelHtml, pagesOf } from './label-html.ts';
import { type Part, split } from './split.ts';

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

type Waiting = PromiseWithResolvers<Uint8Array> & { html: string; part: Part; alone: boolean };

/**
 * Prints labels in batches: an idle lane takes what waits at once, so nobody waits for a batch to fill, and the
 * fuller the queue the larger the batches. What waits is bounded by the worker's concurrency.
 */
export function createLabelPrinter(
  browser: Pick<PrintingBrowser, 'print'>,
  { lanes, batchLabels }: { lanes: number; batchLabels: number },
): LabelPrinter {
  const waiting: Waiting[] = [];
  let busy = 0;

  function fillLanes(): void {
    while (busy < lanes && waiting.length > 0) {
      busy++;
      void printBatch(waiting.splice(0, batchSize(waiting, batchLabels))).finally(() => {
        busy--;
        fillLanes();
      });
    }
  }

  /** Never rejects: each label of the batch gets its bytes or its error. */
  async function printBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      const print = await browser.print(batch.map(({ html }) => html).join(''));
      const files = await split(
        print,
        batch.map(({ part }) => part),
      );
      for (const [i, file] of files.entries()) batch[i]?.resolve(file);
    } catch (cause) {
      const failed = cause instanceof DomainError && cause.code === 'browser-failed';
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
      const part = { pages: pagesOf(label), title: `Guía ${label.number}` };
      const job = { ...Promise.withResolvers<Uint8Array>(), html: htmlOf(label), part, alone };
      waiting.push(job);
      fillLanes();
      return job.promise;
    },
  };
}

/** How many of those that wait go into the next batch: at least one. */
function batchSize(waiting: readonly Waiting[], most: number): number {
  let pages = 0;
  let size = 0;
  for (const { part, alone } of waiting.slice(0, most)) {
    pages += part.pages;
    if (size > 0 && (alone || pages > BATCH_PAGES)) break;
    size++;
    if (alone) break;
  }
  return size;
}

function htmlOf(label: LabelPayload): string {
  try {
    return labelHtml(label);
  } catch (cause) {
    throw new DomainError('label-unprintable', { cause });
  }
}
