import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { SetupError } from '#local/setup-error.ts';

const folder = join(import.meta.dirname, '..', 'peers');

/**
 * A package of `peers/`. Required rather than imported: it is not there before the benchmark's first run, and
 * neither the types nor the lock file of the product are to know of it.
 */
export function peer<T>(name: string): T {
  return createRequire(join(folder, 'package.json'))(name) as T;
}

export function versionOf(name: string): string {
  return JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version;
}

/** As its lock file says; nothing to do the next time. */
export function installPeers(say: (line: string) => void): void {
  const lock = join(folder, 'package-lock.json');
  const installed = join(folder, 'node_modules', '.installed-lock.json'); // comes last: all of it is there
  if (existsSync(installed) && readFileSync(installed, 'utf8') === readFileSync(lock, 'utf8')) return;
  say('Installing the peers…');
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, PUPPETEER_SKIP_DOWNLOAD: '1' }, // all use the Chromium of npm start
  });
  if (status !== 0) throw new SetupError('npm run bench could not install its peers: see the error above.');
  cpSync(lock, installed);
}
