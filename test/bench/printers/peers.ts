import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { installPackages } from '#test/fixtures/install-packages.ts';

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

export function installPeers(say: (line: string) => void): void {
  installPackages(folder, say, { PUPPETEER_SKIP_DOWNLOAD: '1' }); // all use the Chromium of npm start
}
