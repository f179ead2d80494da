import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** Longest start, in ms. */
const DEADLINE_MS = 20_000;

/**
 * Why Chromium cannot have its sandbox here, in its own words; undefined where it can, or does not start at all.
 *
 * Chromium refuses to start without its sandbox unless it is told to (as root, or where the system allows no user
 * namespaces), and says why only on standard error, which puppeteer keeps to itself when a start fails. So the
 * start is repeated to hear it; `--dump-dom` ends by itself.
 */
export async function sandboxObstacle(executablePath: string): Promise<string | undefined> {
  const child = spawn(executablePath, ['--headless', '--dump-dom', 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    // A group of its own, and all of it is ended: some distributions start Chromium by a script.
    detached: true,
    env: {},
  });
  const timer = setTimeout(() => child.pid && process.kill(-child.pid, 'SIGKILL'), DEADLINE_MS);
  try {
    const [said] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    const line =
      child.exitCode === 0 ? undefined : said.split('\n').find((each) => each.includes('--no-sandbox'));
    return line?.replace(/^\[.*?\] ?/, '');
  } catch {
    return undefined; // it is not there, or cannot be run: the failed start has said so
  } finally {
    clearTimeout(timer);
  }
}
