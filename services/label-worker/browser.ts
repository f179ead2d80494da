import { DomainError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import { type Chromium, type ChromiumOptions, printOn, start } from './chromium.ts';
import { residentMemory } from './resident-memory.ts';
import { within } from './within.ts';

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
  close(): Promise<void>;
};

export type BrowserOptions = ChromiumOptions & {
  /** After so many prints it is replaced: a browser that runs for days keeps growing. */
  printsEach: number;
  /** Resident memory of all its processes above which it is replaced sooner, in bytes. */
  memoryEach: number;
  /** How often it is asked whether it still answers, and how long an answer may take, in ms. */
  healthMs: number;
};

export async function launchBrowser(options: BrowserOptions, log: Logger): Promise<PrintingBrowser> {
  if (process.getuid?.() === 0) log.warn('Chromium runs without its sandbox: as root it has none');
  let closed = false;
  let current = start(options, fail);
  await current;

  /** Ends a Chromium that cannot be trusted any more and starts another, once however many prints it failed. */
  function fail(chromium: Chromium, reason: unknown): void {
    if (chromium.state === 'ended') return;
    const wasCurrent = chromium.state !== 'retired';
    end(chromium);
    if (closed || !wasCurrent) return;
    log.error({ err: reason }, 'Chromium failed, starting another');
    current = start(options, fail);
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
      const successor = await start(options, fail);
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
      await within(options.healthMs, 'A sign of life', chromium.cdp.send('Browser.getVersion'));
      misses = 0;
      const bytes = await residentMemory(chromium.cdp);
      if (bytes > options.memoryEach) await renew(chromium, { bytes });
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
    current = current.catch(() => start(options, fail));
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
        return await within(options.timeoutMs, 'A print', printOn(page, body));
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
