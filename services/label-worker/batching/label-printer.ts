import { DomainError } from '#shared/errors/domain-error.ts';
import type { RecordSpan, Tracing } from '#shared/observability/tracing.ts';
import { FRESH_MS, type PrintPayload } from '#shared/printing/label-job.ts';
import { printBody, type RenderedLabel, renderLabel } from '../label/render-label.ts';
import type { LabelTemplates } from '../label/templates.ts';
import type { WorkerMetrics } from '../metrics.ts';
import type { LabelPages } from '../pdf/content-streams.ts';
import { MissingTextError } from '../pdf/printed-letters.ts';
import { split } from '../pdf/split.ts';
import { isBrowserFailure, type PendingLabel, printBatch } from './print-batch.ts';
import type { CapacityMeter } from './print-capacity.ts';
import { PrintSlots } from './print-slots.ts';
import type { Underlays } from './print-underlays.ts';
import { FEW_BEHIND, type WaitingLabel, WaitingList } from './waiting-list.ts';

declare module '#shared/errors/domain-error.ts' {
  interface ErrorCodes {
    /** Nobody waits for the label any more, so it is not printed. */
    'label-unwanted': unknown;
  }
}

export type PrintOrder = {
  /** Whether the label must have a document of its own. */
  alone: boolean;
  /** The label with the smallest number goes first. */
  place: number;
  /** Whether the label belongs to a file of many. */
  behind: boolean;
  key: string;
  /** By `performance.now()`. */
  askedAt: number;
};

export type LabelPrinterOptions = {
  templates?: LabelTemplates;
  underlays: Underlays;
  /**
   * Prints HTML as one PDF.
   * @throws DomainError `browser-failed` if Chromium is at fault; any other error if the HTML is.
   */
  printHtml: (body: string) => Promise<Uint8Array>;
  /** Prints a label that is right. @throws DomainError `browser-failed` if its text is missing. */
  tryPrint?: () => Promise<void>;
  /** Returns for each key whether a client waits for the label; called just before the print. */
  awaited?: (keys: readonly string[]) => Promise<boolean[]>;
  /** Most prints at a time. */
  concurrency: number;
  maxLabels: number;
  metrics?: Pick<WorkerMetrics, 'observePhase' | 'observeBatch'>;
  meter?: Pick<CapacityMeter, 'measure'>;
  tracing?: Tracing | undefined;
};

type QueuedLabel = WaitingLabel &
  PendingLabel &
  RenderedLabel &
  Pick<PrintOrder, 'key' | 'askedAt'> & {
    /** By `performance.now()`. */
    queuedAt: number;
    /** Records spans in the label's own trace. */
    record: RecordSpan | undefined;
  };

/**
 * Prints labels in batches. A free print slot takes all labels that wait, without waiting for a full batch. The fuller the
 * queue, the larger the batches. The concurrency of the queue's worker bounds how many labels wait here.
 */
export class LabelPrinter {
  readonly #options: LabelPrinterOptions;
  readonly #waiting: WaitingList<QueuedLabel>;
  readonly #slots: PrintSlots;

  constructor(options: LabelPrinterOptions) {
    this.#options = options;
    this.#waiting = new WaitingList(options.maxLabels);
    this.#slots = new PrintSlots(options.concurrency);
  }

  /**
   * Prints a label, together with others that wait.
   * @param order a label without an order, as in the trial of templates, goes first and counts as awaited.
   * @returns the label as PDF.
   * @throws DomainError `label-unprintable` if the label is at fault, `browser-failed` if Chromium is, `label-unwanted`
   * if nobody waits for the label any more.
   */
  async print(label: PrintPayload, order: Partial<PrintOrder> = {}): Promise<Uint8Array> {
    const { metrics, templates, tracing } = this.#options;
    const started = performance.now();
    const rendered = render(label, templates);
    const queuedAt = performance.now();
    metrics?.observePhase('html', queuedAt - started);
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    const none: PrintOrder = { alone: false, place: 0, behind: false, key: '', askedAt: queuedAt };
    const pages = rendered.drawing.pages.length;
    const record = tracing?.recorder();
    this.#waiting.add({ ...rendered, pages, ...none, ...order, queuedAt, record, resolve, reject });
    this.#fillSlots();
    return promise;
  }

  #fillSlots(): void {
    for (;;) {
      const mayTakeFiles = this.#slots.mayStart(this.#waiting.size, true);
      if (!mayTakeFiles && !this.#slots.mayStart(this.#waiting.size, false)) return;
      const mostOfFiles = this.#slots.areSinglesAsked ? FEW_BEHIND : undefined;
      const batch = this.#waiting.takeBatch(mayTakeFiles ? mostOfFiles : 0);
      const [first] = batch;
      if (!first) return;
      const print = () => this.#printAwaited(batch);
      void this.#slots.occupy(batch.length, first.behind ?? false, print).then(() => this.#fillSlots());
    }
  }

  async #printAwaited(batch: readonly QueuedLabel[]): Promise<void> {
    const unwanted = new Set(await findUnwanted(batch, this.#options.awaited));
    for (const label of unwanted) label.reject(new DomainError('label-unwanted'));
    const wanted = batch.filter((label) => !unwanted.has(label));
    if (wanted.length === 0) return;
    this.#recordWait(wanted);
    await printBatch(wanted, (labels) => this.#measured(labels));
  }

  #recordWait(batch: readonly QueuedLabel[]): void {
    const { metrics } = this.#options;
    const now = performance.now();
    metrics?.observeBatch(batch.length);
    for (const { queuedAt, record } of batch) {
      metrics?.observePhase('wait', now - queuedAt);
      record?.('wait', queuedAt, now);
    }
  }

  #measured(batch: readonly QueuedLabel[]): Promise<Uint8Array[]> {
    const mostLabels = this.#waiting.maxLabelsWith(batch[0] as QueuedLabel);
    const print = () => this.#printTogether(batch);
    return this.#options.meter?.measure(batch.length, mostLabels, print) ?? print();
  }

  /** @param batch labels of one kind. */
  async #printTogether(batch: readonly QueuedLabel[]): Promise<Uint8Array[]> {
    const started = performance.now();
    try {
      const kind = (batch[0] as QueuedLabel).kind;
      const files = await this.#printWithText(printBody(kind, batch, this.#options.templates), batch);
      recordPrint(batch, started);
      return files;
    } catch (error) {
      recordPrint(batch, started, isBrowserFailure(error) ? 'browser-failed' : 'label-unprintable');
      throw error;
    }
  }

  /**
   * Prints again what came without its text, once Chromium has printed another label well: the first print may be of a
   * Chromium that was replaced meanwhile. If the text is missing again, a label is at fault.
   */
  async #printWithText(body: string, batch: readonly QueuedLabel[]): Promise<Uint8Array[]> {
    const { printHtml, tryPrint } = this.#options;
    try {
      return this.#split(await printHtml(body), batch);
    } catch (error) {
      if (!(error instanceof MissingTextError) || !tryPrint) throw error;
      await tryPrint();
      return this.#split(await printHtml(body), batch);
    }
  }

  #split(print: Uint8Array, batch: readonly QueuedLabel[]): Uint8Array[] {
    const { metrics, underlays } = this.#options;
    const printed = performance.now();
    const labels = batch.map((label): LabelPages => ({ ...label, underlay: underlays[label.kind] }));
    const files = split(print, labels);
    metrics?.observePhase('split', performance.now() - printed);
    return files;
  }
}

/** Returns the labels that nobody waits for any more; an empty list if Redis does not answer. */
export async function findUnwanted<Label extends Pick<PrintOrder, 'key' | 'askedAt'>>(
  labels: readonly Label[],
  awaited: LabelPrinterOptions['awaited'],
): Promise<Label[]> {
  const old = labels.filter(({ askedAt }) => performance.now() - askedAt >= FRESH_MS);
  if (old.length === 0 || !awaited) return [];
  const answers = await awaited(old.map(({ key }) => key)).catch(() => []);
  return old.filter((_, i) => answers[i] === false);
}

function recordPrint(batch: readonly QueuedLabel[], started: number, error?: string): void {
  const ended = performance.now();
  const attributes = { 'batch.labels': batch.length, ...(error && { 'error.type': error }) };
  for (const { record } of batch) record?.('print', started, ended, attributes);
}

function render(label: PrintPayload, templates: LabelTemplates | undefined): RenderedLabel {
  try {
    return renderLabel(label, templates);
  } catch (cause) {
    throw new DomainError('label-unprintable', { cause });
  }
}
