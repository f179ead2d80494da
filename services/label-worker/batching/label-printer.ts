import type { LabelPayload } from '#shared/contracts/label-job.ts';
import { DomainError } from '#shared/errors.ts';
import type { RecordSpan, Tracing } from '#shared/observability/tracing.ts';
import { type RenderedLabel, renderLabel } from '../label/render-label.ts';
import type { LabelTemplates } from '../label/templates.ts';
import type { WorkerMetrics } from '../metrics.ts';
import type { LabelPages } from '../pdf/label-pages.ts';
import { split } from '../pdf/split.ts';
import { isBrowserFailure, type PendingLabel, printBatch } from './print-batch.ts';
import { PrintSlots } from './print-slots.ts';
import type { Underlays } from './print-underlays.ts';
import { type WaitingLabel, WaitingList } from './waiting-list.ts';

export type LabelPrinter = {
  /**
   * Prints a label, together with others that wait.
   *
   * @returns the label as PDF.
   * @throws DomainError `label-unprintable` when the label is to blame, `browser-failed` when Chromium is,
   * `label-unwanted` when nobody waits for it any more.
   */
  print(label: LabelPayload, order?: Partial<PrintOrder>): Promise<Uint8Array>;
};

declare module '#shared/errors.ts' {
  interface ErrorCodes {
    /** Nobody waits for the label any more, so it is not printed. */
    'label-unwanted': unknown;
  }
}

/** How a label is to be printed. */
export type PrintOrder = {
  /** Whether the label must have a document of its own. */
  alone: boolean;
  /** Whose label it is: accounts take turns. */
  account: string;
  /** Whether it goes behind labels that are asked for singly. */
  behind: boolean;
  /** Returns whether somebody still waits for it; asked just before it is printed. */
  wanted: () => Promise<boolean>;
};

export type LabelPrinterOptions = {
  /** Ours unless given. */
  templates?: LabelTemplates;
  /** What each label is laid on, of the same templates. */
  underlays: Underlays;
  /**
   * Prints HTML as one PDF.
   *
   * @throws DomainError `browser-failed` when the HTML is not to blame; any other error when it is.
   */
  printHtml: (body: string) => Promise<Uint8Array>;
  /** Most prints at a time. */
  concurrency: number;
  /** Most labels in one print. */
  maxLabels: number;
  metrics?: Pick<WorkerMetrics, 'observePhase' | 'observeBatch'>;
  tracing?: Tracing | undefined;
};

type QueuedLabel = WaitingLabel &
  PendingLabel &
  RenderedLabel & {
    wanted: PrintOrder['wanted'];
    /** By `performance.now()`. */
    queuedAt: number;
    /** Records spans in the label's own trace. */
    record: RecordSpan | undefined;
  };

/**
 * Creates a printer of labels in batches. A free print slot takes at once what waits, so no label waits for a batch to
 * fill; the fuller the queue, the larger the batches. The concurrency of the queue's worker bounds how many wait.
 */
export function createLabelPrinter(options: LabelPrinterOptions): LabelPrinter {
  const { printHtml, metrics, tracing } = options;
  const waiting = new WaitingList<QueuedLabel>(options.maxLabels);
  const slots = new PrintSlots(options.concurrency);

  function fillSlots(): void {
    const mayPrint = (behind: boolean) => slots.mayStart(waiting.sizeOf(behind), behind);
    for (let batch = waiting.takeBatch(mayPrint); batch[0]; batch = waiting.takeBatch(mayPrint)) {
      const labels = batch;
      void slots.occupy(labels.length, () => printWanted(labels), batch[0].behind).then(fillSlots);
    }
  }

  async function printWanted(batch: readonly QueuedLabel[]): Promise<void> {
    const wanted = await dropUnwanted(batch);
    if (wanted.length === 0) return;
    recordWait(wanted);
    await printBatch(wanted, printTogether);
  }

  function recordWait(batch: readonly QueuedLabel[]): void {
    const now = performance.now();
    metrics?.observeBatch(batch.length);
    for (const { queuedAt, record } of batch) {
      metrics?.observePhase('wait', now - queuedAt);
      record?.('wait', queuedAt, now);
    }
  }

  async function printTogether(batch: readonly QueuedLabel[]): Promise<Uint8Array[]> {
    const started = performance.now();
    try {
      const print = await printHtml(batch.map(({ html }) => html).join(''));
      const printed = performance.now();
      const files = await split(print, batch.map(onUnderlay));
      metrics?.observePhase('split', performance.now() - printed);
      recordPrint(batch, started);
      return files;
    } catch (error) {
      recordPrint(batch, started, isBrowserFailure(error) ? 'browser-failed' : 'label-unprintable');
      throw error;
    }
  }

  function onUnderlay(label: RenderedLabel): LabelPages {
    return { ...label, underlay: options.underlays[label.kind] };
  }

  return {
    async print(label, { alone = false, account = '', behind = false, wanted = async () => true } = {}) {
      const started = performance.now();
      const rendered = render(label, options.templates);
      const queuedAt = performance.now();
      metrics?.observePhase('html', queuedAt - started);
      const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
      const pages = rendered.drawing.pages.length;
      const record = tracing?.recorder();
      waiting.add({ ...rendered, pages, alone, account, behind, wanted, queuedAt, record, resolve, reject });
      fillSlots();
      return promise;
    },
  };
}

/** Refuses the labels that nobody waits for, and returns the others. */
async function dropUnwanted(batch: readonly QueuedLabel[]): Promise<QueuedLabel[]> {
  const wanted = await Promise.all(batch.map((label) => label.wanted()));
  for (const [i, label] of batch.entries()) {
    if (!wanted[i]) label.reject(new DomainError('label-unwanted'));
  }
  return batch.filter((_, i) => wanted[i]);
}

/** Records a print in the trace of each label that shared it, with their number. */
function recordPrint(batch: readonly QueuedLabel[], started: number, error?: string): void {
  const ended = performance.now();
  const attributes = { 'batch.labels': batch.length, ...(error && { 'error.type': error }) };
  for (const { record } of batch) record?.('print', started, ended, attributes);
}

function render(label: LabelPayload, templates: LabelTemplates | undefined): RenderedLabel {
  try {
    return renderLabel(label, templates);
  } catch (cause) {
    throw new DomainError('label-unprintable', { cause });
  }
}
