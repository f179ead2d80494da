import { type CDPSession, ProtocolError } from 'puppeteer-core';

/**
 * Runs in the page: replaces the body, and removes pictures that Chromium cannot draw, which would print as broken.
 * Tries each picture once, because all labels have the same logo, and only `data:` addresses.
 * @returns how many pictures were removed.
 */
const FILL = `async (html) => {
  document.body.innerHTML = html;
  const drawable = (globalThis.drawable ??= new Map());
  let broken = 0;
  for (const image of document.querySelectorAll('image, img')) {
    const address = image.getAttribute('href') ?? image.getAttribute('src') ?? '';
    if (!drawable.has(address)) {
      if (drawable.size === 100) drawable.clear();
      const picture = new Image();
      const isTried = address.startsWith('data:');
      if (isTried) picture.src = address;
      drawable.set(address, isTried && await picture.decode().then(() => true, () => false));
      if (!drawable.get(address)) broken++;
    }
    if (!drawable.get(address)) image.remove();
  }
  return broken;
}`;

/** `ms` is the duration of a step. `onBrokenPicture` reports removed pictures. */
export type PrintObserver = {
  onStep?(step: PrintStep, ms: number): void;
  onBrokenPicture?(): void;
};

/** `document`: the body into the page. `print`: the page into a PDF. */
export type PrintStep = 'document' | 'print';

/** Chromium works but cannot print this document. The cause is Chromium's error. */
export class PrintRefusedError extends Error {
  override name = 'PrintRefusedError';
}

/**
 * Number of characters of HTML after which a page collects its garbage. Prints leave memory outside of JavaScript, which
 * Chromium does not collect by itself.
 */
const COLLECT_GARBAGE_EVERY = 8 * 2 ** 20;

/**
 * A page that keeps its document. A print replaces only the body, so styles and fonts are read once. If whole
 * documents were replaced, Chromium would keep the fonts of each, and slow down.
 */
export class Page {
  readonly #cdp: CDPSession;
  /** Id of an isolated execution context. Our functions run there, although scripts of the page may not run. */
  readonly #world: number;
  #uncollected = 0;

  private constructor(cdp: CDPSession, world: number) {
    this.#cdp = cdp;
    this.#world = world;
  }

  /**
   * Loads a document and its fonts into an empty page.
   * @param onCrash is called when the page's renderer process has died.
   */
  static async open(cdp: CDPSession, html: string, onCrash: () => void): Promise<Page> {
    cdp.once('Inspector.targetCrashed', onCrash);
    await cdp.send('Inspector.enable');
    await cdp.send('Emulation.setScriptExecutionDisabled', { value: true });
    const { frameTree } = await cdp.send('Page.getFrameTree');
    const frameId = frameTree.frame.id;
    await cdp.send('Page.setDocumentContent', { frameId, html });
    const { executionContextId } = await cdp.send('Page.createIsolatedWorld', { frameId });
    const page = new Page(cdp, executionContextId);
    await page.#call('() => Promise.all([...document.fonts].map((face) => face.load())).then(() => {})');
    return page;
  }

  /** @throws PrintRefusedError when Chromium cannot print it. After any other error the page must not be used again. */
  async printHtml(body: string, { onStep, onBrokenPicture }: PrintObserver = {}): Promise<Uint8Array> {
    const started = performance.now();
    const broken = await this.#call(FILL, body);
    if (broken !== 0) onBrokenPicture?.();
    const filled = performance.now();
    onStep?.('document', filled - started);
    const pdf = await this.#printToPdf();
    onStep?.('print', performance.now() - filled);
    this.#collectGarbage(body.length);
    return pdf;
  }

  async #printToPdf(): Promise<Uint8Array> {
    const options = { preferCSSPageSize: true, generateTaggedPDF: false };
    try {
      const { data } = await this.#cdp.send('Page.printToPDF', options);
      return Buffer.from(data, 'base64');
    } catch (cause) {
      throw isRefusal(cause) ? new PrintRefusedError('Chromium refuses to print this', { cause }) : cause;
    }
  }

  /**
   * Starts a collection when enough has been printed, and does not wait for it: after a failure, the next print
   * fails.
   */
  #collectGarbage(printed: number): void {
    this.#uncollected += printed;
    if (this.#uncollected <= COLLECT_GARBAGE_EVERY) return;
    this.#uncollected = 0;
    void this.#cdp.send('HeapProfiler.collectGarbage').catch(() => {});
  }

  /** @throws if the function throws, so that no print uses the body of the print before. */
  async #call(functionDeclaration: string, ...values: string[]): Promise<unknown> {
    const { result, exceptionDetails } = await this.#cdp.send('Runtime.callFunctionOn', {
      executionContextId: this.#world,
      functionDeclaration,
      arguments: values.map((value) => ({ value })),
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }
}

/**
 * Returns whether the document is at fault and not Chromium. Only the error's text differs, because Chromium has one
 * code for all errors of a print (`pdf_print_result.cc`).
 */
function isRefusal(error: unknown): boolean {
  return error instanceof ProtocolError && error.originalMessage === 'Printing failed';
}
