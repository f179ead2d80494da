import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { prepareDocumentDb } from '../mongo/documentdb-setup.ts';
import { provideChromium } from '../programs/chromium.ts';
import { canAptInstall, ensurePrograms, findProgram, redisServer } from '../programs/ensure-programs.ts';

/**
 * Installs what Debian has for `npm start` while npm installs the packages (local/run.sh), so it needs none of them. What it leaves
 * out, or fails to do, `npm start` does afterwards.
 */

const log = (line: string) => process.stdout.write(`  ${line}\n`);

if (canAptInstall()) {
  await Promise.all([
    provideChromium(log),
    process.env.REDIS_URL || ensurePrograms([redisServer], log),
    documentDbIsNeeded().then((isNeeded) => (isNeeded ? prepareDocumentDb(log) : undefined)),
  ]);
}

/** Returns false if in doubt: where mongodb-memory-server has put a mongod, only that package can tell. */
async function documentDbIsNeeded(): Promise<boolean> {
  const downloads = join(homedir(), '.cache', 'mongodb-binaries');
  if (process.env.MONGODB_URI || findProgram('mongod') || existsSync(downloads)) return false;
  const options = { method: 'HEAD', signal: AbortSignal.timeout(2_000) };
  return fetch('https://fastdl.mongodb.org', options).then(
    () => false,
    () => true,
  );
}
