import puppeteer, { type Browser, type CDPSession } from 'puppeteer-core';
import { withTimeout } from '#shared/async/with-timeout.ts';
import { residentMemory } from './resident-memory.ts';

/**
 * One Chromium process that prints, from its start to its end; `browser.ts` decides about its life.
 *
 * A lane is a browser context, hence a renderer process, with one page that stays open and keeps its head:
 * styles and fonts are read once and a print changes the body only. (A new page for each print costs 64 ms and
 * more. Setting the whole document each time costs 8 ms more than the body, and Chromium keeps every document's
 * fonts, so that after 200 prints it costs 30.)
 */

export type ChromiumOptions = {
  executablePath: string;
  /** The HTML document whose body is replaced by each print. */
  document: string;
  lanes: number;
  /** Longest print, in ms. */
  timeoutMs: number;
};

/** Longest start, in ms: it takes half a second, but on a cold disk or a busy node many times that. */
const START_MS = 20_000;
/**
 * Characters of HTML, some 2 500 labels, after which a page is told to collect its garbage: by itself it does not, since
 * all that stays of a print is outside of its JavaScript, and grew by 15 kB a label. It takes 30 ms.
 */
const COLLECT_EACH = 8 * 2 ** 20;

export type Page = { cdp: CDPSession; world: number; uncollected: number };
export type Chromium = {
  browser: Browser;
  cdp: CDPSession;
  idle: Page[];
  prints: number;
  /** In ms since 1970. */
  startedAt: number;
  /** Of all its processes, in bytes, as last measured. */
  residentBytes: number;
  /** `serving`, then `renewing` while its successor starts, `retired` while its last prints end, `ended`. */
  state: 'serving' | 'renewing' | 'retired' | 'ended';
  kill(): void;
};
/** The two steps of a print: the body into the page, and the page into a PDF. */
export type PrintStep = 'document' | 'print';
type StartOptions = ChromiumOptions & { sandbox: boolean };
type OnFailure = (chromium: Chromium, reason: unknown) => void;

/** @param options.sandbox false only where there is no way to have it (`sandbox.ts`). */
export async function start(options: StartOptions, onFailure: OnFailure): Promise<Chromium> {
  // Puppeteer kills the process group it made when the signal fires, also before `launch` has returned.
  const end = new AbortController();
  const kill = () => end.abort();
  try {
    return await withTimeout(START_MS, 'Starting Chromium', open(options, end.signal, kill, onFailure));
  } catch (cause) {
    kill();
    const reason = cause instanceof Error ? cause.message : cause;
    throw new Error(`Chromium did not start (${options.executablePath}): ${reason}`, { cause });
  }
}

async function open(options: StartOptions, signal: AbortSignal, kill: () => void, onFailure: OnFailure) {
  const browser = await puppeteer.launch({
    executablePath: options.executablePath,
    // Plain `--headless`, which the headless shell and the full Chromium both understand.
    headless: 'shell',
    // Unlike a socket, a pipe ends with us: no Chromium survives a worker that was killed.
    pipe: true,
    signal,
    args: chromiumArgs(options.sandbox),
    // Nothing of the worker's own environment: it holds secrets.
    env: {},
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  // A pipe whose other end was killed may fail after puppeteer stopped listening, and would end our process.
  for (const pipe of browser.process()?.stdio ?? []) pipe?.on('error', () => {});
  const cdp = await browser.target().createCDPSession();
  const chromium: Chromium = {
    browser,
    cdp,
    idle: [],
    prints: 0,
    startedAt: Date.now(),
    residentBytes: 0,
    state: 'serving',
    kill,
  };
  browser.once('disconnected', () => onFailure(chromium, new Error('Chromium ended')));
  chromium.idle = await Promise.all(
    Array.from({ length: options.lanes }, () =>
      openPage(browser, options.document, () => onFailure(chromium, new Error('A page of Chromium crashed'))),
    ),
  );
  chromium.residentBytes = await residentMemory(cdp);
  return chromium;
}

/** No name is resolved and the proxy is a port where nobody listens, so nothing in a document can call out. */
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

async function openPage(browser: Browser, html: string, onCrash: () => void): Promise<Page> {
  const context = await browser.createBrowserContext();
  const cdp = await (await context.newPage()).createCDPSession();
  cdp.once('Inspector.targetCrashed', onCrash);
  await cdp.send('Inspector.enable');
  await cdp.send('Emulation.setScriptExecutionDisabled', { value: true });
  const { frameTree } = await cdp.send('Page.getFrameTree');
  const frameId = frameTree.frame.id;
  await cdp.send('Page.setDocumentContent', { frameId, html });
  // A world of our own, where our calls run although the page's scripts may not.
  const { executionContextId: world } = await cdp.send('Page.createIsolatedWorld', { frameId });
  const page = { cdp, world, uncollected: 0 };
  await call(page, '() => Promise.all([...document.fonts].map((face) => face.load())).then(() => {})');
  return page;
}

/** @param onStep is told how long each step took, in ms. */
export async function printOn(
  page: Page,
  body: string,
  onStep: (step: PrintStep, ms: number) => void,
): Promise<Uint8Array> {
  const started = performance.now();
  await call(page, '(html) => { document.body.innerHTML = html }', body);
  const filled = performance.now();
  onStep('document', filled - started);
  const { data } = await page.cdp.send('Page.printToPDF', {
    preferCSSPageSize: true,
    generateTaggedPDF: false,
  });
  onStep('print', performance.now() - filled);
  // Not waited for; and what fails here, the next print finds out.
  page.uncollected += body.length;
  if (page.uncollected > COLLECT_EACH) {
    page.uncollected = 0;
    void page.cdp.send('HeapProfiler.collectGarbage').catch(() => {});
  }
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
