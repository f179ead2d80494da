import { type CDPSession, ProtocolError } from 'puppeteer-core';

/**
 * Runs in the page: replaces the body, and takes out each picture that Chromium cannot draw, since a label would show a
 * browser's sign of a broken picture in its place. A picture is tried once, as all labels have the same logo.
 *
 * Returns how many pictures were tried in vain. Addresses other than `data:` are not tried: the document may load nothing.
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

/** Is told of a print: how long each step took, in ms, and of pictures that were left out, as Chromium cannot draw them. */
export type PrintObserver = {
  onStep?(step: PrintStep, ms: number): void;
  onBrokenPicture?(): void;
};

/** The two steps of a print: the body into the page, and the page into a PDF. */
export type PrintStep = 'document' | 'print';

/** Chromium is well but cannot print this document; the cause is its own error. */
export class PrintRefusedError extends Error {
  override name = 'PrintRefusedError';
}

/**
 * Characters of HTML, of some 2 500 labels, after which a page collects its garbage, which takes 30 ms. By itself it
 * never does: what remains of a print is outside of its JavaScript, and the renderer grew by 15 kB a label.
 */
const COLLECT_GARBAGE_EVERY = 8 * 2 ** 20;

/**
 * A page that stays open and keeps its document; a print replaces the body only, so styles and fonts are read once.
 * A new page for each print takes 64 ms more. Replacing the whole document takes 8 ms more than the body, and 30 ms
 * after 200 prints, since Chromium keeps the fonts of every document.
 */
export class Page {
  readonly #cdp: CDPSession;
  /** The id of an execution context of ours: there our functions run, although the page's own scripts may not. */
  readonly #world: number;
  #uncollected = 0;

  private constructor(cdp: CDPSession, world: number) {
    this.#cdp = cdp;
    this.#world = world;
  }

  /**
   * Loads a document and its fonts into an empty page, for prints.
   *
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

  /**
   * Prints the document with this body as PDF.
   *
   * @throws PrintRefusedError when Chromium cannot print it. After any other error the page must not be used again.
   */
  async print(body: string, { onStep, onBrokenPicture }: PrintObserver = {}): Promise<Uint8Array> {
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

  /** Starts a collection when enough has been printed. Nobody waits for it: where it fails, the next print does. */
  #collectGarbage(printed: number): void {
    this.#uncollected += printed;
    if (this.#uncollected <= COLLECT_GARBAGE_EVERY) return;
    this.#uncollected = 0;
    void this.#cdp.send('HeapProfiler.collectGarbage').catch(() => {});
  }

  /**
   * Runs a function in the page, and returns what it returns.
   *
   * @throws when it throws, so that no print goes on with the body of the one before.
   */
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
 * Tells a document that cannot be printed from a Chromium that cannot print. Only the text of the error does: puppeteer
 * hands over no code, and Chromium has one code for all errors of a print (`pdf_print_result.cc`).
 */
function isRefusal(error: unknown): boolean {
  return error instanceof ProtocolError && error.originalMessage === 'Printing failed';
}
