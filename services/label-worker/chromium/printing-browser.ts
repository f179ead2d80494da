import { DomainError } from '#shared/errors.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { Chromium, type ChromiumOptions } from './chromium.ts';
import { PrintRefusedError } from './page.ts';
import { ProcessSupervisor, type SupervisorOptions } from './process-supervisor.ts';
import { sandboxObstacle } from './sandbox.ts';

/** Prints HTML with one Chromium, which is replaced when it fails and recycled when it has grown. */
export type PrintingBrowser = {
  /**
   * Prints `body` as PDF; at most `concurrency` prints may run at a time.
   *
   * @throws DomainError `browser-failed` when Chromium died, took too long or did not start; the next one may do
   * better. PrintRefusedError when Chromium is well but cannot print this.
   */
  print(body: string): Promise<Uint8Array>;
  /** Returns what a function, by its source, finds in the document with `body`; counts as a print. */
  inspect(body: string, inspection: string): Promise<unknown>;
  /** Rejects when Chromium missed its last health check, or none starts. It asks nothing of a Chromium that prints. */
  requireHealthy(): Promise<void>;
  /** Returns the figures of the current Chromium, once it has started; undefined where its start failed. */
  status(): Promise<ChromiumStatus | undefined>;
  /** Kills Chromium, with all prints that still run, and waits until it is gone. */
  close(): Promise<void>;
};

/** `startedAt` is in ms since 1970; `residentBytes` is of all its processes, as measured at the last health check. */
export type ChromiumStatus = { startedAt: number; prints: number; residentBytes: number };

export type PrintingBrowserOptions = Omit<ChromiumOptions, 'sandbox'> &
  Pick<SupervisorOptions<Chromium>, 'maxMemoryBytes' | 'healthIntervalMs' | 'onStart'> & {
    /** Prints after which Chromium is recycled. */
    maxPrints: number;
    /** Whether to refuse to start without Chromium's sandbox, instead of logging why there is none. */
    sandboxRequired: boolean;
  };

/**
 * Starts Chromium and keeps it running.
 *
 * @throws when it does not start, with the executable and the reason, or has no sandbox where that is required.
 */
export async function startPrintingBrowser(
  options: PrintingBrowserOptions,
  log: Logger,
): Promise<PrintingBrowser> {
  const supervisor = await ProcessSupervisor.start(
    { ...options, name: 'Chromium', maxUses: options.maxPrints, start: chromiumStart(options, log) },
    log,
  );
  return {
    async print(body) {
      try {
        return await supervisor.use((chromium) => chromium.print(body));
      } catch (cause) {
        if (cause instanceof PrintRefusedError) throw cause;
        throw new DomainError('browser-failed', { cause });
      }
    },
    inspect: (body, inspection) => supervisor.use((chromium) => chromium.inspect(body, inspection)),
    requireHealthy: () => supervisor.requireHealthy(),
    async status() {
      const status = await supervisor.status();
      if (!status) return undefined;
      const { uses: prints, ...figures } = status;
      return { ...figures, prints };
    },
    close: () => supervisor.close(),
  };
}

/**
 * Returns a function that starts Chromium. The first start finds out whether the system lets Chromium have its
 * sandbox; all later ones do the same.
 */
function chromiumStart(
  options: Omit<ChromiumOptions, 'sandbox'> & Pick<PrintingBrowserOptions, 'sandboxRequired'>,
  log: Logger,
): () => Promise<Chromium> {
  let sandbox: boolean | undefined;
  return async () => {
    try {
      const chromium = await Chromium.start({ ...options, sandbox: sandbox ?? true });
      sandbox ??= true;
      return chromium;
    } catch (failure) {
      const reason = sandbox === undefined && (await sandboxObstacle(options.executablePath));
      if (!reason) throw failure;
      if (options.sandboxRequired) throw new Error(refusalWithoutSandbox(reason), { cause: failure });
      log.warn({ reason }, 'Chromium runs without its sandbox');
      sandbox = false;
      return Chromium.start({ ...options, sandbox });
    }
  };
}

/** Tells the operator why the worker does not start, and what to do. */
function refusalWithoutSandbox(reason: string): string {
  return `Chromium has no sandbox here, and CHROMIUM_SANDBOX=required demands it. Chromium says: ${reason}
The sandbox needs user namespaces. Check, in this order:
  - The worker runs as a user who is not root.
  - The container has the seccomp profile k8s/chromium-seccomp.json (k8s/README.md "Chromium's sandbox").
  - The node allows user namespaces: sysctl user.max_user_namespaces is above 0, kernel.unprivileged_userns_clone is 1
    and kernel.apparmor_restrict_unprivileged_userns is 0, where the kernel has them.
CHROMIUM_SANDBOX=auto prints without the sandbox.`;
}
