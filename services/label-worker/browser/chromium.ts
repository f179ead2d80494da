import { readFile } from 'node:fs/promises';
import puppeteer, { type Browser, type CDPSession } from 'puppeteer-core';
import { withTimeout } from '#shared/async/with-timeout.ts';
import { Page, type PrintObserver, PrintRefusedError } from './page.ts';
import type { SupervisedProcess } from './supervisor.ts';
import { temporaryFolder } from './temporary-folder.ts';

export type ChromiumOptions = PrintObserver & {
  executablePath: string;
  /** False only if the system denies Chromium its sandbox (`sandbox.ts`). */
  sandbox: boolean;
  /** The HTML document whose body each print replaces. */
  document: string;
  /** Tried on each new page, and when a print lacks text. */
  trial?: Trial;
  concurrency: number;
  printTimeoutMs: number;
};

/** A print that shows text if Chromium is well. `check` throws if it does not. */
export type Trial = { body: string; check(print: Uint8Array): void };

/** Many times the usual duration, for a cold disk or a busy node. */
export const START_TIMEOUT_MS = 20_000;

// puppeteer makes a profile there for each Chromium, and removes it when that Chromium ends.
puppeteer.configuration = async () => ({ temporaryDirectory: temporaryFolder() });

/**
 * A Chromium process that prints until it fails or is killed. Each concurrent print has a page in its own browser
 * context, hence its own renderer process.
 */
export class Chromium implements SupervisedProcess {
  readonly failed: Promise<unknown>;
  readonly #failed = Promise.withResolvers<unknown>();
  readonly #options: ChromiumOptions;
  readonly #browser: Browser;
  readonly #cdp: CDPSession;
  /** When it aborts, puppeteer kills the process group of Chromium. */
  readonly #end: AbortController;
  #idlePages: Page[] = [];

  private constructor(options: ChromiumOptions, browser: Browser, cdp: CDPSession, end: AbortController) {
    this.failed = this.#failed.promise;
    this.#options = options;
    this.#browser = browser;
    this.#cdp = cdp;
    this.#end = end;
    browser.once('disconnected', () => this.#fail(new Error('Chromium ended')));
  }

  /** @throws with the executable and the reason when Chromium does not start in time. */
  static async start(options: ChromiumOptions): Promise<Chromium> {
    const end = new AbortController();
    try {
      return await withTimeout(START_TIMEOUT_MS, 'Starting Chromium', Chromium.#open(options, end));
    } catch (cause) {
      end.abort();
      const reason = cause instanceof Error ? cause.message : cause;
      throw new Error(`Chromium did not start (${options.executablePath}): ${reason}`, { cause });
    }
  }

  static async #open(options: ChromiumOptions, end: AbortController): Promise<Chromium> {
    const browser = await puppeteer.launch({
      executablePath: options.executablePath,
      // Plain `--headless`, which the headless shell and the full Chromium both understand.
      headless: 'shell',
      // Unlike a socket, a pipe ends with this process: no Chromium outlives a killed worker.
      pipe: true,
      // Also kills a Chromium whose launch has not returned yet.
      signal: end.signal,
      args: chromiumArgs(options.sandbox),
      // Hides the worker's environment, which holds secrets.
      env: {},
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    // A pipe to a killed process may fail after puppeteer stops listening, which would end this process.
    for (const pipe of browser.process()?.stdio ?? []) pipe?.on('error', () => {});
    const cdp = await browser.target().createCDPSession();
    const chromium = new Chromium(options, browser, cdp, end);
    chromium.#idlePages = await Promise.all(
      Array.from({ length: options.concurrency }, () => chromium.#openPage()),
    );
    // Each takes an idle page. So they are counted beforehand.
    await Promise.all(Array.from({ length: options.concurrency }, () => chromium.tryPrint()));
    return chromium;
  }

  /**
   * Prints `body` as PDF; at most `concurrency` prints at a time.
   * @throws PrintRefusedError if Chromium works but cannot print `body`. After any other error Chromium has failed and
   * ended.
   */
  async printHtml(body: string): Promise<Uint8Array> {
    const page = this.#idlePages.pop();
    if (!page) throw new Error(`More than ${this.#options.concurrency} prints at a time`);
    try {
      return await withTimeout(this.#options.printTimeoutMs, 'A print', page.printHtml(body, this.#options));
    } catch (error) {
      if (!(error instanceof PrintRefusedError)) this.#fail(error);
      throw error;
    } finally {
      this.#idlePages.push(page);
    }
  }

  /**
   * Prints the trial on the page that printed last, to find out whether Chromium is at fault when a print lacks text.
   * @throws if it is; Chromium has then failed and ended.
   */
  async tryPrint(): Promise<void> {
    const { trial } = this.#options;
    if (!trial) return;
    try {
      trial.check(await this.printHtml(trial.body));
    } catch (cause) {
      const error = new Error('Chromium cannot print a label with its text', { cause });
      this.#fail(error);
      throw error;
    }
  }

  /** Returns the private memory of Chromium's processes in bytes. */
  async checkHealth(): Promise<number | undefined> {
    const { processInfo } = await this.#cdp.send('SystemInfo.getProcessInfo');
    const sizes = await Promise.all(processInfo.map(({ id }) => privateBytes(id)));
    return sizes.reduce((sum, size) => sum + size, 0) || undefined; // 0 and NaN mean unknown
  }

  async kill(): Promise<void> {
    this.#end.abort();
    // `close` waits until the process has ended and its profile is removed.
    await this.#browser.close().catch(() => {});
  }

  async #openPage(): Promise<Page> {
    const context = await this.#browser.createBrowserContext();
    const cdp = await (await context.newPage()).createCDPSession();
    return Page.open(cdp, this.#options.document, () => this.#fail(new Error('A page of Chromium crashed')));
  }

  #fail(reason: unknown): void {
    this.#failed.resolve(reason);
    this.#end.abort(); // also ends what a start still waits for
  }
}

/** No document can reach the network: Chromium resolves no name, and its proxy is a port where nothing listens. */
function chromiumArgs(sandbox: boolean): string[] {
  return [
    '--proxy-server=127.0.0.1:9',
    '--proxy-bypass-list=<-loopback>',
    '--host-resolver-rules=MAP * ~NOTFOUND',
    // Otherwise letters are moved to whole pixels of a screen, and small type is set unevenly.
    '--font-render-hinting=none',
    ...(sandbox ? [] : ['--no-sandbox']),
  ];
}

/**
 * Returns the memory in bytes that a process shares with no other (proc_pid_smaps_rollup(5)). Returns 0 if the process
 * has ended or the system has no such file, and NaN if access is denied. Resident memory would count Chromium's program
 * once for each process.
 */
async function privateBytes(pid: number): Promise<number> {
  try {
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
    const sizes = rollup.matchAll(/^Private_(?:Clean|Dirty): +(\d+) kB$/gm);
    return [...sizes].reduce((sum, [, kb]) => sum + 1_024 * Number(kb), 0);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return ['ENOENT', 'ESRCH'].includes(code) ? 0 : Number.NaN;
  }
}
