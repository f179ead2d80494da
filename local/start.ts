import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { untilPipeBreaks } from '#shared/commands/broken-pipe.ts';
import { buildRooms } from './build-rooms.ts';
import { provideCanaryAccount } from './canary-account.ts';
import { findDemoUsers, nationalCoverage, seedDemoData } from './demo-data.ts';
import { localFolder as folder, repoRoot } from './folders.ts';
import { provideMongo, removeMongoData } from './mongo/mongo.ts';
import { watchDisk } from './process/disk-watch.ts';
import { keepRunning } from './process/keep-running.ts';
import { tryLock } from './process/lock.ts';
import { stopAllProcesses } from './process/owned-process.ts';
import { provideChromium } from './programs/chromium.ts';
import { provideRedis } from './programs/redis.ts';
import { loadSecrets } from './secrets.ts';
import { SetupError } from './setup-error.ts';
import { choosePorts, HELP, parseOptions } from './start/options.ts';
import { readyMessage } from './start/ready-message.ts';
import { announceRunning } from './start/running-system.ts';
import { type ServiceName, startSystem, USUAL_PREFIX } from './system.ts';

/**
 * `npm start`: runs the whole system on this machine until Ctrl-C, and restarts what ends. Exit code 0: stopped, 1:
 * the start failed.
 */

const logFolder = join(folder, 'logs');
const DAMAGED_SECRETS =
  'is damaged. Remove it: npm start then makes new secrets. Users log in again, and webhooks must be added again.';
/** In ms: two signals within this time are one Ctrl-C, which comes from the terminal and from npm. */
const SAME_SIGNAL_MS = 500;

try {
  const { fresh, help } = parseOptions();
  if (help) process.exitCode = await untilPipeBreaks(printHelp);
  else {
    const stopped = stopSignal(() => say('\nStopping…\n'));
    await Promise.race([startAndKeepRunning(fresh), stopped]);
    await stopped;
  }
} catch (error) {
  process.exitCode = 1;
  const { message, stack } = error as Error;
  process.stderr.write(`${(process.env.DEBUG && stack) || message}\n`);
} finally {
  await stopAllProcesses();
}
process.exit();

async function startAndKeepRunning(fresh: boolean): Promise<void> {
  if (!(await tryLock(repoRoot))) {
    throw new SetupError(
      'npm start already runs in this checkout: stop it (Ctrl-C) before you start another.',
    );
  }
  const ports = await choosePorts();
  if (fresh) removeData();
  rmSync(logFolder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  watchDisk(folder, progress);
  const { children, ...running } = await startAll(ports);
  const onRestart = announceRunning(running, children, progress);
  for (const child of children) keepRunning(child, progress, onRestart);
}

/** Resolves at the first Ctrl-C or SIGTERM. A second one ends this process at once. */
function stopSignal(onStop: () => void): Promise<void> {
  return new Promise((resolve) => {
    let first: number | undefined;
    const stop = () => {
      if (first === undefined) onStop();
      else if (Date.now() - first > SAME_SIGNAL_MS) process.exit(1); // owned-process.ts then kills the rest
      first ??= Date.now();
      resolve();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
    process.stdout.on('error', () => {}); // a closed terminal must not keep the services from stopping in order
  });
}

async function startAll(ports: Record<ServiceName, number>) {
  const options = { folder, durable: true, log: progress };
  const secrets = loadSecrets(join(folder, 'secrets.json'), DAMAGED_SECRETS);
  const users = { prefix: USUAL_PREFIX, passwords: secrets.redis };
  const [mongo, redis, labelCache, chromiumPath] = await Promise.all([
    provideMongo(options),
    provideRedis({ ...options, users }),
    provideRedis({ ...options, users, durable: false, role: 'label-cache' }),
    provideChromium(progress),
    buildRooms(),
  ]);
  const mongoUri = databaseUri(mongo.uri);
  if (await seedDemoData(mongoUri, nationalCoverage())) progress('Loaded the demo data.');
  const canaryProblem = await provideCanaryAccount(mongoUri, secrets.canary);
  progress('Starting the services…');
  const system = await startSystem({
    mongoUri,
    redisUrl: redis.urls,
    labelCacheUrl: labelCache.urls,
    chromiumPath,
    secrets,
    ...(canaryProblem === undefined && { canary: secrets.canary }),
    logFolder,
    secretFolder: join(folder, 'secrets'),
    ports,
    log: progress,
  });
  const demoUsers = await findDemoUsers(mongoUri);
  const servers = {
    [mongo.description]: mongoUri,
    [redis.description]: redis.url,
    [labelCache.description]: labelCache.url,
  };
  say(
    readyMessage({
      seconds: seconds(),
      addresses: system.addresses,
      servers,
      users: demoUsers,
      logFolder,
      canaryProblem,
    }),
  );
  const { addresses, environments, processes } = system;
  const stores = [mongo, redis, labelCache].flatMap((store) => store.processes);
  const children = [...Object.values(processes), ...stores];
  return { addresses, environments, mongoUri, redisUrl: redis.url, labelCacheUrl: labelCache.url, children };
}

function removeData(): void {
  const given = ['MONGODB_URI', 'REDIS_URL', 'LABEL_CACHE_URL'].find((variable) => process.env[variable]);
  if (given) throw new SetupError(`--fresh deletes only our own data: unset ${given}, or leave --fresh out.`);
  removeMongoData(folder);
  rmSync(folder, { recursive: true, force: true });
}

/** Adds our database's name to our own server's address. `MONGODB_URI` must have a name. */
function databaseUri(uri: string): string {
  if (uri.endsWith('/') && !process.env.MONGODB_URI) return `${uri}guias`;
  if (/^[^:]+:\/\/[^/?]+\/[^/?]+/.test(uri)) return uri;
  throw new SetupError('MONGODB_URI must name a database, such as mongodb://127.0.0.1:27017/guias.');
}

function progress(line: string): void {
  say(`${seconds().padStart(6)} s  ${line}\n`);
}

function seconds(): string {
  return (performance.now() / 1000).toFixed(1);
}

async function printHelp(): Promise<number> {
  say(HELP);
  return 0;
}

function say(text: string): void {
  process.stdout.write(text);
}
