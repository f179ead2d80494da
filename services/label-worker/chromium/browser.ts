import { withTimeout } from '#shared/async/with-timeout.ts';
import { DomainError } from '#shared/errors.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { type Chromium, type ChromiumOptions, type PrintStep, printOn, start } from './chromium.ts';
import { residentMemory } from './resident-memory.ts';
import { sandboxObstacle } from './sandbox.ts';

/**
 * A Chromium that prints HTML, and is replaced when it dies, hangs or has grown old. It knows no labels.
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
  /** The Chromium of now, waiting for one that is starting; undefined where none starts. */
  status(): Promise<ChromiumStatus | undefined>;
  close(): Promise<void>;
};

/** `startedAt` in ms since 1970; `residentBytes` of all its processes, as measured at the last health check. */
export type ChromiumStatus = { startedAt: number; prints: number; residentBytes: number };

export type BrowserOptions = ChromiumOptions & {
  /** After so many prints it is replaced: a browser that runs for days keeps growing. */
  printsEach: number;
  /** Resident memory of all its processes above which it is replaced sooner, in bytes. */
  memoryEach: number;
  /** How often it is asked whether it still answers, and how long an answer may take, in ms. */
  healthMs: number;
};

/** Is told what happens, for those who measure it. */
export type BrowserObserver = {
  /** Also when it then does not start. `worn`: the one before had printed enough, or grown too large. */
  starting(reason: 'start' | 'failed' | 'worn'): void;
  /** A step of a print has been done, in so many ms. */
  phase(step: PrintStep, ms: number): void;
};

export async function launchBrowser(
  options: BrowserOptions,
  log: Logger,
  observer: BrowserObserver = { starting() {}, phase() {} },
): Promise<PrintingBrowser> {
  let closed = false;
  let sandbox = true;
  let current = launch('start').catch(withoutSandbox);
  await current;

  /** A second try for a Chromium that did not start because the system has no sandbox for it. */
  async function withoutSandbox(failure: unknown): Promise<Chromium> {
    const reason = await sandboxObstacle(options.executablePath);
    if (!reason) throw failure;
    log.warn({ reason }, 'Chromium runs without its sandbox');
    sandbox = false;
    return start({ ...options, sandbox }, fail);
  }

  function launch(reason: 'start' | 'failed' | 'worn'): Promise<Chromium> {
    observer.starting(reason);
    return start({ ...options, sandbox }, fail);
  }

  /** Ends a Chromium that cannot be trusted any more and starts another, once however many prints it failed. */
  function fail(chromium: Chromium, reason: unknown): void {
    if (chromium.state === 'ended') return;
    const wasCurrent = chromium.state !== 'retired';
    end(chromium);
    if (closed || !wasCurrent) return;
    log.error({ err: reason }, 'Chromium failed, starting another');
    current = launch('failed');
    current.catch((err) => log.error({ err }, 'Chromium did not start; the next print tries again'));
  }

  function end(chromium: Chromium): void {
    chromium.state = 'ended';
    chromium.kill();
  }

  /** Starts another before this one goes, so that no print waits or fails for it. */
  async function renew(chromium: Chromium, why: object): Promise<void> {
    if (chromium.state !== 'serving') return;
    chromium.state = 'renewing';
    log.info(why, 'replacing Chromium');
    try {
      const successor = await launch('worn');
      // Meanwhile it may have failed, and has a successor already.
      if (closed || chromium.state !== 'renewing') return end(successor);
      current = Promise.resolve(successor);
      chromium.state = 'retired';
      endIfDone(chromium);
    } catch (err) {
      log.error({ err }, 'no other Chromium starts');
      if (chromium.state !== 'renewing') return;
      chromium.state = 'serving';
      chromium.prints = 0; // tried again after as many prints
    }
  }

  function endIfDone(chromium: Chromium): void {
    if (chromium.state === 'retired' && chromium.idle.length === options.lanes) end(chromium);
  }

  let misses = 0;
  /** One answer that does not come in time is a busy machine, two are a Chromium that hangs. */
  async function checkHealth(): Promise<void> {
    const chromium = await current.catch(() => undefined);
    if (!chromium || chromium.state === 'ended') return;
    try {
      await withTimeout(options.healthMs, 'A sign of life', chromium.cdp.send('Browser.getVersion'));
      misses = 0;
      chromium.residentBytes = await residentMemory(chromium.cdp);
      if (chromium.residentBytes > options.memoryEach) {
        await renew(chromium, { bytes: chromium.residentBytes });
      }
    } catch (reason) {
      misses++;
      if (misses >= 2) fail(chromium, reason);
    }
  }
  const health = setInterval(() => void checkHealth(), options.healthMs);
  health.unref();

  /** The Chromium of now; one that did not start is tried again. */
  function live(): Promise<Chromium> {
    if (closed) return Promise.reject(new Error('The browser is closed'));
    current = current.catch(() => launch('failed'));
    return current;
  }

  return {
    async print(body) {
      const chromium = await live().catch((cause) => {
        throw new DomainError('browser-failed', { cause });
      });
      const page = chromium.idle.pop();
      if (!page) throw new Error(`More than ${options.lanes} prints at a time`);
      try {
        return await withTimeout(options.timeoutMs, 'A print', printOn(page, body, observer.phase));
      } catch (cause) {
        if (isRefusal(cause)) throw cause;
        fail(chromium, cause);
        throw new DomainError('browser-failed', { cause });
      } finally {
        chromium.idle.push(page);
        chromium.prints++;
        endIfDone(chromium);
        if (chromium.prints >= options.printsEach) void renew(chromium, { prints: chromium.prints });
      }
    },
    async ping() {
      // Not puppeteer's own `version()`, which asks only once.
      const { cdp } = await live();
      return cdp.send('Browser.getVersion');
    },
    async status() {
      const chromium = await current.catch(() => undefined);
      if (!chromium) return undefined;
      const { startedAt, prints, residentBytes } = chromium;
      return { startedAt, prints, residentBytes };
    },
    async close() {
      closed = true;
      clearInterval(health);
      const chromium = await current.catch(() => undefined);
      chromium?.kill();
      // Nothing is left to close: waits for the end of the process, and for its profile to be removed.
      await chromium?.browser.close();
    },
  };
}

/** Chromium's one way to say that it lives but cannot print this; anything else is taken for its own failure. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && error.message.includes('Printing failed');
}
