import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../folders.ts';
import { withLock } from '../process/lock.ts';
import { type OwnedProcess, type ProcessOptions, startProcess } from '../process/owned-process.ts';
import { runToEnd } from '../process/run-to-end.ts';
import { waitUntilReady } from '../process/wait-until-ready.ts';
import { canAptInstall, ensurePrograms, findProgram, updatePackageLists } from '../programs/programs.ts';
import { type Log, SetupError } from '../setup-error.ts';

/**
 * DocumentDB (a PostgreSQL extension) and FerretDB: a database with MongoDB's protocol for machines that reach
 * package registries only. DocumentDB is newer than Debian 12, so a newer Debian is unpacked in a folder of the
 * cache (its root); FerretDB is built from Go modules. Both run inside that root, as its user `postgres`.
 */

// Raise it when the steps of `makeRoot` change: another root is made, and the old one is left alone.
const home = join(cacheFolder, 'documentdb-1');
export const root = join(home, 'root');
const postgresPrograms = '/usr/lib/postgresql/18/bin';

const ferretSource = join(import.meta.dirname, 'ferretdb');
/** As seen from inside the root. Another source gives another name, so an old program is never taken for it. */
export const ferretDbProgram = `/usr/local/bin/ferretdb-${sourceHash()}`;

/** Each appears under its name only when it is finished, so being there means being ready. */
export function documentDbIsReady(): boolean {
  return existsSync(root) && existsSync(join(root, ferretDbProgram));
}

/** Why it cannot be set up here, in a few words; undefined when it can. */
export function whyNoDocumentDb(): string | undefined {
  if (!canAptInstall()) return 'its substitute can be set up on Debian as root only';
  if (!findProgram('go')) return 'its substitute needs Go 1.25 or newer';
  return undefined;
}

/** Makes what is missing of the root and FerretDB. An interrupted run leaves nothing that is taken for finished. */
export async function prepareDocumentDb(log: Log): Promise<void> {
  await withLock('documentdb', log, async () => {
    if (documentDbIsReady()) return;
    mkdirSync(home, { recursive: true });
    await removeUnfinished();
    log('Setting up DocumentDB and FerretDB, once for this user (one to two minutes)…');
    const still = setInterval(() => log('Still setting up DocumentDB and FerretDB…'), 15_000);
    const program = join(home, `ferretdb-${randomBytes(4).toString('hex')}`);
    await Promise.all([buildFerretDb(program, log), existsSync(root) || makeRoot(log)]).finally(() =>
      clearInterval(still),
    );
    renameSync(program, join(root, ferretDbProgram));
  });
}

/** The command that runs a program inside the root, as `postgres`. Its death signal has to be set after the user. */
export function insideRoot(folder: string, ...command: string[]): [string, ...string[]] {
  const user = ['--reuid', 'postgres', '--regid', 'postgres', '--clear-groups', '--pdeathsig', 'INT', '--'];
  return ['chroot', folder, 'setpriv', ...user, ...command];
}

/**
 * Starts PostgreSQL on `/docdb/<name>/data` of the root, listening on a socket in `/docdb/<name>`, which only
 * its user may enter (so trusting whoever connects trusts nobody else).
 */
export async function startPostgres(
  where: { root: string; name: string; durable: boolean },
  process: Omit<ProcessOptions, 'name' | 'command'>,
): Promise<OwnedProcess> {
  const folder = `/docdb/${where.name}`;
  const settings = Object.entries({
    shared_preload_libraries: 'pg_cron,pg_documentdb_core,pg_documentdb',
    'cron.database_name': 'postgres',
    'cron.host': folder,
    'cron.use_background_workers': 'on',
    'cron.log_run': 'off',
    'cron.log_statement': 'off',
    'documentdb.localhost_connection_string': `host=${folder}`,
    listen_addresses: '',
    unix_socket_directories: folder,
    max_connections: '100',
    shared_buffers: '256MB',
    log_checkpoints: 'off',
    ...(!where.durable && { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = startProcess({
    ...process,
    name: 'PostgreSQL',
    stopSignal: where.durable ? 'SIGINT' : 'SIGQUIT', // fast; or at once, without a last checkpoint
    stopTimeoutMs: 30_000,
    command: insideRoot(where.root, `${postgresPrograms}/postgres`, '-D', `${folder}/data`, ...settings),
  });
  await waitUntilReady(
    server,
    async () => saysReady(join(where.root, folder, 'data', 'postmaster.pid'), server),
    30_000,
  );
  return server;
}

/** PostgreSQL writes its pid in the first line and its state in the eighth. */
function saysReady(file: string, server: OwnedProcess): boolean {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines[0] === String(server.pid) && lines[7]?.trim() === 'ready';
}

/** What interrupted runs left. Where it may, debootstrap mounts /proc in its folder, and leaves it so. */
async function removeUnfinished(): Promise<void> {
  const run = (...command: [string, ...string[]]) =>
    runToEnd({ name: command.join(' '), command, logFile: join(home, 'root.log') }).catch(() => {});
  for (const name of readdirSync(home).filter((name) => /^(root|ferretdb)-[0-9a-f]{8}$/.test(name))) {
    await run('umount', join(home, name, 'proc'));
    await run('rm', '-rf', '--one-file-system', join(home, name));
  }
}

async function makeRoot(log: Log): Promise<void> {
  await ensurePrograms([{ names: ['debootstrap'], apt: 'debootstrap' }], log);
  const logFile = join(home, 'root.log');
  const run = (...command: [string, ...string[]]) => runToEnd({ name: command.join(' '), command, logFile });

  const partial = join(home, `root-${randomBytes(4).toString('hex')}`);
  const debian = ['forky', partial, await debianMirror(), 'sid']; // 'sid' names the script, also for releases newer than debootstrap
  await run('debootstrap', '--variant=minbase', '--include=postgresql-18-documentdb', ...debian);
  await run('chroot', partial, 'apt-get', 'clean');
  log('DocumentDB is unpacked; making an empty database…');
  await makeTemplate(partial, logFile);
  renameSync(partial, root);
}

/** An empty database with DocumentDB in it: a copy of its folder is made in a tenth of the time. */
async function makeTemplate(folder: string, logFile: string): Promise<void> {
  const run = (...command: [string, ...string[]]) => runToEnd({ name: command.join(' '), command, logFile });
  const asPostgres = (...command: string[]) => run(...insideRoot(folder, ...command));
  await run('chroot', folder, 'install', '-d', '-o', 'postgres', '-m', '0700', '/docdb', '/docdb/template');
  const place = ['-D', '/docdb/template/data', '-U', 'postgres', '-A', 'trust'];
  await asPostgres(`${postgresPrograms}/initdb`, ...place, '-E', 'UTF8', '--locale=C.UTF-8');
  const server = await startPostgres({ root: folder, name: 'template', durable: true }, { logFile });
  const sql = 'create extension documentdb cascade';
  await asPostgres('psql', '-h', '/docdb/template', '-U', 'postgres', '-qc', sql);
  await server.stop();
}

/** Where this machine's own packages come from; apt-get knows only once it has its lists. */
async function debianMirror(): Promise<string> {
  const command = ['indextargets', '--format', '$(REPO_URI)', 'ORIGIN: Debian', 'LABEL: Debian'];
  const first = () => execFileSync('apt-get', command, { encoding: 'utf8' }).split('\n')[0];
  const known = first();
  if (known) return known;
  await updatePackageLists();
  const mirror = first();
  if (mirror) return mirror;
  throw new SetupError(
    'apt-get knows no Debian mirror: add one to /etc/apt/sources.list, or set MONGODB_URI.',
  );
}

async function buildFerretDb(output: string, log: Log): Promise<void> {
  await runToEnd({
    name: 'go build (FerretDB)',
    command: ['go', 'build', '-trimpath', '-buildvcs=false', '-o', output, '.'],
    cwd: ferretSource,
    logFile: join(home, 'ferretdb.log'),
    env: { ...process.env, CGO_ENABLED: '0' }, // needs nothing of the root that it runs in
  });
  log('FerretDB is built.');
}

function sourceHash(): string {
  const hash = createHash('sha256');
  for (const name of ['main.go', 'go.mod', 'go.sum']) hash.update(readFileSync(join(ferretSource, name)));
  return hash.digest('hex').slice(0, 12);
}
