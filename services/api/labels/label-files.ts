import { setTimeout as delay } from 'node:timers/promises';
import { Tally } from '#shared/async/tally.ts';
import { DomainError, type ErrorCode } from '#shared/errors/domain-error.ts';
import type { Format, LabelPayload } from '#shared/labels/label-payload.ts';
import { pageCount } from '#shared/printing/label-job.ts';
import { JoinedPdf } from './joined-pdf.ts';
import type { LabelCaller, PrintedLabels } from './printed-labels.ts';

/**
 * Most pages of a file in flight, unless one label has more. The label worker prints one batch while the next waits.
 */
const WINDOW_PAGES = 50;
/** Pages that are read and joined at once, unless one label has more. */
const RUN_PAGES = 4;
/** Most files in flight, of an account and of a process. Each holds its guides, up to some megabytes. */
const MAX_FILES = { ofAccount: 3, ofAll: 30 };
/** When an account or process with too many files may be asked again, in seconds. */
const RETRY_AFTER_S = 4;
/** Labels looked up at once, so that the event loop stays free. */
const LOOKED_AT_A_TIME = 50;
/** Pause before another try for a label, in ms. */
const PAUSE_MS = 200;
/** These pass as soon as other labels are printed. */
const TEMPORARY_ERRORS: readonly ErrorCode[] = ['too-many-pages', 'overloaded'];

type Options = {
  labels: Pick<PrintedLabels, 'get' | 'inCache'>;
  /** In ms: by then all labels of a file must be printed. */
  timeoutMs: number;
};

/** `firstPlace`: see `JoinedPdf`. */
type JoinedFile = { title: string; format: Format; firstPlace?: number | undefined };

/** Prints the labels of many guides as one file, behind labels that are asked for one by one. */
export class LabelFiles {
  readonly #labels: Options['labels'];
  readonly #timeoutMs: number;
  readonly #files = new Tally();

  constructor({ labels, timeoutMs }: Options) {
    this.#labels = labels;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Prints what is not in the cache, a window of pages at a time, and then begins the file. After a failure the
   * printed labels stay in the cache.
   * @param find returns the labels in the order of their pages; called when the file is admitted.
   * @returns the file piece by piece. A label that was evicted meanwhile is printed again, and its piece may fail.
   * @throws DomainError as `PrintedLabels.get`; also `too-many-pages` or `overloaded` while too many files are in
   * flight; `label-late` if not all labels were printed in time.
   */
  async join(
    caller: LabelCaller,
    file: JoinedFile,
    find: () => Promise<readonly LabelPayload[]>,
  ): Promise<AsyncGenerator<Buffer>> {
    const deadline = performance.now() + this.#timeoutMs;
    const behind = { ...caller, behind: true as const };
    this.#begin(caller);
    const labels = await find();
    await new Printing(this.#labels, labels, behind).run(deadline - performance.now());
    return started(this.#pieces(labels, behind, file));
  }

  /** Counts a file until its caller leaves. */
  #begin({ account, signal }: LabelCaller): void {
    if (signal.aborted) throw new DomainError('client-gone');
    const params = { seconds: RETRY_AFTER_S };
    if (this.#files.of(account) >= MAX_FILES.ofAccount) throw new DomainError('too-many-pages', { params });
    if (this.#files.total >= MAX_FILES.ofAll) throw new DomainError('overloaded', { params });
    this.#files.add(account);
    signal.addEventListener('abort', () => this.#files.remove(account), { once: true });
  }

  async *#pieces(
    labels: readonly LabelPayload[],
    caller: LabelCaller,
    { title, format, firstPlace }: JoinedFile,
  ): AsyncGenerator<Buffer> {
    const file = format === 'pdf' ? new JoinedPdf(firstPlace) : AS_THEY_ARE;
    let piece = file.begin(title);
    for (const run of runsOf(labels)) {
      const printed = await Promise.all(run.map((label) => this.#labels.get(label, caller)));
      yield Buffer.concat([piece, ...printed.map(({ bytes }) => file.add(bytes))]);
      piece = Buffer.alloc(0);
    }
    yield file.end();
  }
}

/** ZPL labels follow each other. A PNG is one label. */
const AS_THEY_ARE: Pick<JoinedPdf, 'begin' | 'add' | 'end'> = {
  begin: () => Buffer.alloc(0),
  add: (label) => label,
  end: () => Buffer.alloc(0),
};

/** Prints the labels of one file, until the first failure. */
class Printing {
  readonly #client: Options['labels'];
  readonly #labels: readonly LabelPayload[];
  readonly #caller: LabelCaller;
  readonly #end = new AbortController();
  /** Why a label cannot be printed yet. */
  #temporaryError: Error | undefined;

  constructor(client: Options['labels'], labels: readonly LabelPayload[], caller: LabelCaller) {
    this.#client = client;
    this.#labels = labels;
    this.#caller = { ...caller, signal: this.#end.signal };
    const clientLeft = () => this.#end.abort(new DomainError('client-gone'));
    if (caller.signal.aborted) clientLeft();
    else caller.signal.addEventListener('abort', clientLeft);
  }

  async run(timeoutMs: number): Promise<void> {
    const late = () => this.#end.abort(this.#temporaryError ?? new DomainError('label-late'));
    const timer = setTimeout(late, timeoutMs);
    try {
      await this.#printMissing();
    } catch (error) {
      this.#end.abort(error);
    } finally {
      clearTimeout(timer);
    }
    this.#end.signal.throwIfAborted();
  }

  async #printMissing(): Promise<void> {
    const window = Math.max(1, Math.min(WINDOW_PAGES, Math.floor(this.#caller.maxPages / 2)));
    const running = new Set<Promise<void>>();
    let pages = 0;
    for await (const [index, label] of this.#missing()) {
      while (running.size > 0 && pages + pageCount(label) > window) await Promise.race(running);
      if (this.#end.signal.aborted) return;
      pages += pageCount(label);
      const printing = this.#untilPrinted(label, index).finally(() => {
        running.delete(printing);
        pages -= pageCount(label);
      });
      running.add(printing);
    }
    await Promise.all(running);
  }

  /** Returns the labels that are not in the cache, each once. */
  async *#missing(): AsyncGenerator<[index: number, label: LabelPayload]> {
    const seen = new Set<string>();
    for (let first = 0; first < this.#labels.length; first += LOOKED_AT_A_TIME) {
      const labels = this.#labels.slice(first, first + LOOKED_AT_A_TIME);
      const inCache = await this.#client.inCache(labels);
      for (const [i, label] of labels.entries()) {
        if (inCache[i] || seen.has(label.number)) continue;
        seen.add(label.number);
        yield [first + i, label];
      }
    }
  }

  async #untilPrinted(label: LabelPayload, index: number): Promise<void> {
    while (!this.#end.signal.aborted) {
      try {
        await this.#client.get(label, this.#caller);
        this.#temporaryError = undefined;
        return;
      } catch (error) {
        if (!(error instanceof DomainError && TEMPORARY_ERRORS.includes(error.code)))
          return this.#end.abort(naming(error, index));
        this.#temporaryError = error;
        await delay(PAUSE_MS, undefined, { signal: this.#end.signal }).catch(() => {});
      }
    }
  }
}

function* runsOf(labels: readonly LabelPayload[]): Generator<LabelPayload[]> {
  let run: LabelPayload[] = [];
  let pages = 0;
  for (const label of labels) {
    if (run.length > 0 && pages + pageCount(label) > RUN_PAGES) {
      yield run;
      run = [];
      pages = 0;
    }
    run.push(label);
    pages += pageCount(label);
  }
  yield run;
}

function naming(error: unknown, indice: number): unknown {
  if (!(error instanceof DomainError && error.code === 'label-failed')) return error;
  const problems = [{ indice, code: error.code }];
  return new DomainError(error.code, { problems, cause: error.cause });
}

/** Waits for the first piece: before it, the answer may still be an error. */
async function started(pieces: AsyncGenerator<Buffer>): Promise<AsyncGenerator<Buffer>> {
  const first = await pieces.next();
  return (async function* () {
    if (!first.done) yield first.value;
    yield* pieces;
  })();
}
