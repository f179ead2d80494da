import { DomainError } from '#shared/errors/domain-error.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { Chromium, type ChromiumOptions } from './chromium.ts';
import { PrintRefusedError } from './page.ts';
import { startFirstChromium } from './sandbox.ts';
import { type ProcessStatus, Supervisor, type SupervisorOptions } from './supervisor.ts';

/** Prints HTML with a Chromium that is replaced when it fails or has grown. */
export type PrintingBrowser = Awaited<ReturnType<typeof startPrintingBrowser>>;

export type ChromiumStatus = Omit<ProcessStatus, 'uses'> & { prints: number };

export type PrintingBrowserOptions = Omit<ChromiumOptions, 'sandbox'> &
  Partial<Limits> &
  Pick<SupervisorOptions<Chromium>, 'onStart' | 'onServing'> & {
    /** Refuses to start without Chromium's sandbox, instead of logging the reason. */
    sandboxRequired: boolean;
  };

type Limits = Omit<SupervisorOptions<Chromium>, 'name' | 'start' | 'onStart' | 'onServing'>;

/**
 * A page grows with its first thousand labels, and then stops growing. Twice that growth is a leak. The limit of prints
 * bounds other leaks (dailydotdev/daily-scraper, issue 634).
 */
function limitsOf({ concurrency }: Pick<ChromiumOptions, 'concurrency'>): Limits {
  return {
    maxUses: 5_000,
    maxGrowthBytes: concurrency * 256 * 2 ** 20,
    recyclePauseMs: 60_000,
    healthIntervalMs: 5_000, // two missed checks replace an idle Chromium within 15 s
  };
}

/** @throws with the executable and the reason when Chromium does not start, or lacks a required sandbox. */
export async function startPrintingBrowser(options: PrintingBrowserOptions, log: Logger) {
  const { chromium, sandbox } = await startFirstChromium(options, log);
  const start = () => Chromium.start({ ...options, sandbox });
  const supervisor = new Supervisor(
    { name: 'Chromium', ...limitsOf(options), ...options, start },
    chromium,
    log,
  );
  return {
    /**
     * Prints `body` as PDF; at most `concurrency` prints at a time.
     * @throws DomainError `browser-failed` if Chromium died, took too long or did not start. The next print may succeed.
     * @throws PrintRefusedError if Chromium works but cannot print `body`.
     */
    async printHtml(body: string): Promise<Uint8Array> {
      try {
        return await supervisor.use((chromium) => chromium.printHtml(body));
      } catch (cause) {
        if (cause instanceof PrintRefusedError) throw cause;
        throw new DomainError('browser-failed', { cause });
      }
    },

    /**
     * Prints a label that is right, after a print without its text. Replaces Chromium if this one lacks text too.
     * @throws DomainError `browser-failed` in that case.
     */
    async tryPrint(): Promise<void> {
      try {
        await supervisor.use((chromium) => chromium.tryPrint());
      } catch (cause) {
        throw new DomainError('browser-failed', { cause });
      }
    },

    /** Rejects when Chromium missed its last health check, or does not run. */
    requireHealthy: () => supervisor.requireHealthy(),

    status(): ChromiumStatus {
      const { uses: prints, ...status } = supervisor.status();
      return { ...status, prints };
    },

    /** Kills Chromium with all running prints, and waits for its end. */
    close: () => supervisor.close(),
  };
}
