import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Logger } from '#shared/observability/logger.ts';
import { Chromium, type ChromiumOptions, START_TIMEOUT_MS } from './chromium.ts';

/**
 * Starts the first Chromium, and finds out whether the system allows its sandbox. Later starts use the result.
 * @throws when Chromium does not start, or lacks a required sandbox.
 */
export async function startFirstChromium(
  options: Omit<ChromiumOptions, 'sandbox'> & { sandboxRequired: boolean },
  log: Logger,
): Promise<{ chromium: Chromium; sandbox: boolean }> {
  try {
    return { chromium: await Chromium.start({ ...options, sandbox: true }), sandbox: true };
  } catch (failure) {
    const reason = await sandboxObstacle(options.executablePath);
    if (!reason) throw failure;
    if (options.sandboxRequired) throw new Error(refusalWithoutSandbox(reason), { cause: failure });
    log.warn({ reason }, 'Chromium runs without its sandbox');
    return { chromium: await Chromium.start({ ...options, sandbox: false }), sandbox: false };
  }
}

/**
 * Returns in Chromium's words why its sandbox is unavailable. Returns undefined if the sandbox is available, or Chromium
 * does not start at all. As root, or without user namespaces, Chromium refuses to start without `--no-sandbox`. It writes
 * the reason to standard error, which puppeteer does not show, so a second start reads the reason.
 */
async function sandboxObstacle(executablePath: string): Promise<string | undefined> {
  const child = spawn(executablePath, ['--headless', '--dump-dom', 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    // A process group, because some distributions start Chromium by a script, and both must be killed.
    detached: true,
    env: {},
  });
  const timer = setTimeout(() => child.pid && process.kill(-child.pid, 'SIGKILL'), START_TIMEOUT_MS);
  try {
    const [stderr] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    if (child.exitCode === 0) return undefined;
    const line = stderr.split('\n').find((each) => each.includes('--no-sandbox'));
    return line?.replace(/^\[.*?\] ?/, '');
  } catch {
    return undefined; // the program is missing or cannot run, as the failed start reports
  } finally {
    clearTimeout(timer);
  }
}

function refusalWithoutSandbox(reason: string): string {
  return `Chromium has no sandbox here, and CHROMIUM_SANDBOX=required demands it. Chromium says: ${reason}
The sandbox needs user namespaces. Check, in this order:
  - The worker runs as a user who is not root.
  - The container has the seccomp profile k8s/chromium-seccomp.json (k8s/README.md "Chromium's sandbox").
  - The node allows user namespaces: sysctl user.max_user_namespaces is above 0, kernel.unprivileged_userns_clone is 1
    and kernel.apparmor_restrict_unprivileged_userns is 0, where the kernel has them.
CHROMIUM_SANDBOX=auto prints without the sandbox.`;
}
