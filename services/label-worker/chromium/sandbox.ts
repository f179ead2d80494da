import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** Longest start, in ms. */
const START_TIMEOUT_MS = 20_000;

/**
 * Detects why Chromium's sandbox is unavailable here, and returns the reason in Chromium's own words; undefined where
 * the sandbox is available, or Chromium does not start at all.
 *
 * As root, or where the system allows no user namespaces, Chromium refuses to start without `--no-sandbox`. It says so
 * on standard error only, which puppeteer does not report when a start fails. So this starts Chromium once more to
 * read it; `--dump-dom` makes it end by itself.
 */
export async function sandboxObstacle(executablePath: string): Promise<string | undefined> {
  const child = spawn(executablePath, ['--headless', '--dump-dom', 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    // A process group of its own, to kill all of it: some distributions start Chromium by a script.
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
    return undefined; // the program is missing or cannot be run, as the failed start has said
  } finally {
    clearTimeout(timer);
  }
}
