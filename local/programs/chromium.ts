import { join } from 'node:path';
import { cacheFolder } from '../folders.ts';
import { type Log, SetupError } from '../setup-error.ts';
import { canAptInstall, ensurePrograms, findProgram, type Program } from './ensure-programs.ts';

const chromium: Program = {
  names: [
    'chromium-headless-shell',
    'chrome-headless-shell',
    'chromium',
    'chromium-browser',
    'google-chrome',
  ],
  apt: 'chromium-headless-shell',
};

/**
 * Returns the path of a Chromium: `CHROMIUM_PATH`, one on PATH, Debian's headless one if this process may install it,
 * or the one that puppeteer downloads.
 * @throws SetupError if none is available.
 */
export async function provideChromium(log: Log): Promise<string> {
  const found = process.env.CHROMIUM_PATH || findProgram(...chromium.names);
  if (found) return found;
  if (!canAptInstall()) return downloadChromium(log);
  await ensurePrograms([chromium], log);
  return findProgram(...chromium.names) as string;
}

async function downloadChromium(log: Log): Promise<string> {
  // Not before: the machine's own is found while npm installs these packages.
  const { Browser, detectBrowserPlatform, getInstalledBrowsers, install } = await import(
    '@puppeteer/browsers'
  );
  const { PUPPETEER_REVISIONS } = await import('puppeteer-core/internal/revisions.js');
  const cacheDir = join(cacheFolder, 'chromium');
  const browser = Browser.CHROMEHEADLESSSHELL;
  const buildId = PUPPETEER_REVISIONS['chrome-headless-shell'];
  const installed = await getInstalledBrowsers({ cacheDir });
  const known = installed.find((one) => one.browser === browser && one.buildId === buildId);
  if (known) return known.executablePath;
  try {
    log(`Downloading chrome-headless-shell ${buildId}…`);
    const platform = detectBrowserPlatform();
    return (await install({ browser, buildId, cacheDir, ...(platform && { platform }) })).executablePath;
  } catch (cause) {
    throw new SetupError(
      'No Chromium is on PATH and none could be downloaded: install one, or set CHROMIUM_PATH to its program.',
      { cause },
    );
  }
}
