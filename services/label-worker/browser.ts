import puppeteer, { type Browser, type CDPSession } from 'puppeteer-core';
import { DomainError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import { within } from './within.ts';

/**
 * A Chromium that prints HTML and is replaced when it dies or hangs. It knows no labels.
 *
 * A lane is a browser context, hence a renderer process, with one page that stays open and keeps its head:
 * styles and fonts are read once and a print changes the body only. (A new page for each print costs 64 ms and
 * more. Setting the whole document each time costs 8 ms more than the body, and Chromium keeps every document's
 * fonts, so that after 200 prints it costs 30.)
 */
export type PrintingBrowser = {
  /**
   * Prints `body` as PDF; at most `lanes` prints may run at a time.
   *
   * @throws DomainError `browser-failed` when Chromium died or took too long; the next one may do better. Any
   * other error: Chromium refuses this document.
   */
  print(body: string): Promise<Uint8Array>;
  /** Rejects when Chromium does not answer. */
  ping(): Promise<unknown>;
  close(): Promise<void>;
};

export type BrowserOptions = {
  executablePath: string;
  /** The HTML document whose body is replaced by each print. */
  document: string;
  lanes: number;
  /** Longest print, and longest start, in ms. */
  timeoutMs: number;
};

type Page = { cdp: CDPSession; world: number };
type Session = { chromium: Browser; cdp: CDPSession; idle: Page[]; failed: boolean; kill(): void };
type OnFailure = (session: Session, reason: unknown) => void;

export async function launchBrowser(options: BrowserOptions, log: Logger): Promise<PrintingBrowser> {
  if (process.getuid?.() === 0) log.warn('Chromium runs without its sandbox: as root it has none');
  let closed = false;
  let current = start(options, fail);
  await current;

  /** Ends a Chromium that cannot be trusted any more and starts another, once however many prints it failed. */
  function fail(session: Session, reason: unknown): void {
    if (session.failed) return;
    session.failed = true;
    session.kill();
    if (closed) return;
    log.error({ err: reason }, 'Chromium failed, starting another');
    current = start(options, fail);
    current.catch((err) => log.error({ err }, 'Chromium did not start; the next print tries again'));
  }

  /** The Chromium of now; one that did not start is tried again. */
  function live(): Promise<Session> {
    if (closed) return Promise.reject(new Error('The browser is closed'));
    current = current.catch(() => start(options, fail));
    return current;
  }

  return {
    async print(body) {
      const session = await live().catch((cause) => {
        throw new DomainError('browser-failed', { cause });
      });
      const page = session.idle.pop();
      if (!page) throw new Error(`More than ${options.lanes} prints at a time`);
      try {
        return await within(options.timeoutMs, 'A print', printOn(page, body));
      } catch (cause) {
        if (isRefusal(cause)) throw cause;
        fail(session, cause);
        throw new DomainError('browser-failed', { cause });
      } finally {
        session.idle.push(page);
      }
    },
    async ping() {
      // Not puppeteer's own `version()`, which asks only once.
      const { cdp } = await live();
      return cdp.send('Browser.getVersion');
    },
    async close() {
      closed = true;
      const session = await current.catch(() => undefined);
      session?.kill();
      // Nothing is left to close: waits for the end of the process, and for its profile to be removed.
      await session?.chromium.close();
    },
  };
}

async function start(options: BrowserOptions, onFailure: OnFailure): Promise<Session> {
  // Puppeteer kills the process group it made when the signal fires, also before `launch` has returned.
  const end = new AbortController();
  const kill = () => end.abort();
  try {
    return await within(options.timeoutMs, 'Starting Chromium', open(options, end.signal, kill, onFailure));
  } catch (cause) {
    kill();
    const reason = cause instanceof Error ? cause.message : cause;
    throw new Error(`Chromium did not start (${options.executablePath}): ${reason}`, { cause });
  }
}

async function open(options: BrowserOptions, signal: AbortSignal, kill: () => void, onFailure: OnFailure) {
  const chromium = await puppeteer.launch({
    executablePath: options.executablePath,
    // Plain `--headless`, which the headless shell and the full Chromium both understand.
    headless: 'shell',
    // Unlike a socket, a pipe ends with us: no Chromium survives a worker that was killed.
    pipe: true,
    signal,
    args: chromiumArgs(),
    // Nothing of the worker's own environment: it holds secrets.
    env: {},
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  // A pipe whose other end was killed may fail after puppeteer stopped listening, and would end our process.
  for (const pipe of chromium.process()?.stdio ?? []) pipe?.on('error', () => {});
  const cdp = await chromium.target().createCDPSession();
  const session: Session = { chromium, cdp, idle: [], failed: false, kill };
  chromium.once('disconnected', () => onFailure(session, new Error('Chromium ended')));
  session.idle = await Promise.all(
    Array.from({ length: options.lanes }, () =>
      openPage(chromium, options.document, () => onFailure(session, new Error('A page of Chromium crashed'))),
    ),
  );
  return session;
}

/** No name is resolved and the proxy is a port where nobody listens, so nothing in a document can call out. */
function chromiumArgs(): string[] {
  return [
    '--proxy-server=127.0.0.1:9',
    '--proxy-bypass-list=<-loopback>',
    '--host-resolver-rules=MAP * ~NOTFOUND',
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  ];
}

async function openPage(chromium: Browser, html: string, onCrash: () => void): Promise<Page> {
  const context = await chromium.createBrowserContext();
  const cdp = await (await context.newPage()).createCDPSession();
  cdp.once('Inspector.targetCrashed', onCrash);
  await cdp.send('Inspector.enable');
  await cdp.send('Emulation.setScriptExecutionDisabled', { value: true });
  const { frameTree } = await cdp.send('Page.getFrameTree');
  const frameId = frameTree.frame.id;
  await cdp.send('Page.setDocumentContent', { frameId, html });
  // A world of our own, where our calls run although the page's scripts may not.
  const { executionContextId: world } = await cdp.send('Page.createIsolatedWorld', { frameId });
  const page = { cdp, world };
  await call(page, '() => Promise.all([...document.fonts].map((face) => face.load())).then(() => {})');
  return page;
}

async function printOn(page: Page, body: string): Promise<Uint8Array> {
  await call(page, '(html) => { document.body.innerHTML = html }', body);
  const { data } = await page.cdp.send('Page.printToPDF', {
    preferCSSPageSize: true,
    generateTaggedPDF: false,
  });
  return Buffer.from(data, 'base64');
}

/** @throws when the function throws, above all so that no print goes on with the body of the one before. */
async function call({ cdp, world }: Page, functionDeclaration: string, ...values: string[]): Promise<void> {
  const { exceptionDetails } = await cdp.send('Runtime.callFunctionOn', {
    executionContextId: world,
    functionDeclaration,
    arguments: values.map((value) => ({ value })),
    awaitPromise: true,
  });
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
}

/** Chromium's one way to say that it lives but cannot print this; anything else is taken for its own failure. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && error.message.includes('Printing failed');
}
