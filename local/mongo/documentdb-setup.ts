import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from '../process/lock.ts';
import { runToEnd } from '../process/owned-process.ts';
import { debianMirror, ensurePrograms } from '../programs/ensure-programs.ts';
import type { Log } from '../setup-error.ts';
import {
  documentDbIsReady,
  ferretDbProgram,
  ferretSource,
  home,
  insideRoot,
  postgresPrograms,
  root,
  startPostgres,
} from './documentdb-root.ts';

const rootLog = join(home, 'root.log');

/** Makes what is missing of the root and FerretDB. An interrupted run leaves nothing that counts as finished. */
export async function prepareDocumentDb(log: Log): Promise<void> {
  await withLock('documentdb', log, async () => {
    if (documentDbIsReady()) return;
    mkdirSync(home, { recursive: true });
    await removeUnfinished();
    log('Setting up DocumentDB and FerretDB, once for this user (about a minute)…');
    const reminder = setInterval(() => log('Still setting up DocumentDB and FerretDB…'), 5_000);
    const program = unfinished('ferretdb');
    await Promise.all([buildFerretDb(program, log), existsSync(root) || makeRoot(log)]).finally(() =>
      clearInterval(reminder),
    );
    renameSync(program, join(root, ferretDbProgram));
  });
}

/** Its final name follows when it is finished. */
function unfinished(name: string): string {
  return join(home, `${name}-${randomBytes(4).toString('hex')}`);
}

/** Removes what interrupted runs left. */
async function removeUnfinished(): Promise<void> {
  for (const name of readdirSync(home).filter((name) => /^(root|ferretdb)-[0-9a-f]{8}$/.test(name))) {
    await run('rm', '-rf', '--one-file-system', join(home, name)).catch(() => {});
  }
}

async function makeRoot(log: Log): Promise<void> {
  const partial = unfinished('root');
  await unpackDebian(partial, 'postgresql-18-documentdb', log);
  log('DocumentDB is unpacked; making an empty database…');
  await makeTemplate(partial);
  renameSync(partial, root);
}

/** This Debian has DocumentDB, and a Go that is new enough for FerretDB. mmdebstrap takes half of the time of debootstrap. */
async function unpackDebian(folder: string, packages: string, log: Log): Promise<void> {
  await ensurePrograms([{ names: ['mmdebstrap'], apt: 'mmdebstrap' }], log);
  // An interrupted run is done again, so nothing must be on the disk before the end. A mirror may be late.
  const options = ['--dpkgopt=force-unsafe-io', '--aptopt=Acquire::Check-Valid-Until "false"'];
  const packed = ['--mode=root', '--variant=essential', `--include=${packages}`, ...options];
  await run('mmdebstrap', ...packed, 'forky', folder, await debianMirror());
}

/** Makes an empty database: copying its folder takes a tenth of the time of making another. */
async function makeTemplate(folder: string): Promise<void> {
  const asPostgres = (...command: string[]) => run(...insideRoot(folder, ...command));
  await run('chroot', folder, 'install', '-d', '-o', 'postgres', '-m', '0700', '/docdb', '/docdb/template');
  const options = ['-D', '/docdb/template/data', '-U', 'postgres', '-A', 'trust'];
  await asPostgres(`${postgresPrograms}/initdb`, ...options, '-E', 'UTF8', '--locale=C.UTF-8');
  const where = { root: folder, name: 'template', durable: true, logFile: rootLog };
  const server = await startPostgres(where);
  const sql = 'create extension documentdb cascade';
  await asPostgres('psql', '-h', '/docdb/template', '-U', 'postgres', '-qc', sql);
  await server.stop();
}

const GO_BUILD = ['go', 'build', '-trimpath', '-buildvcs=false', '-o'] as const;

/** Builds FerretDB with this machine's Go if possible, otherwise with Debian's. */
async function buildFerretDb(output: string, log: Log): Promise<void> {
  if (spawnSync('go', ['list', '-m'], { cwd: ferretSource }).status !== 0) return buildInDebian(output, log);
  await runToEnd({
    name: 'go build (FerretDB)',
    command: [...GO_BUILD, output, '.'],
    cwd: ferretSource,
    logFile: join(home, 'ferretdb.log'),
    env: { ...process.env, CGO_ENABLED: '0' }, // the program then needs no library of the root
  });
}

async function buildInDebian(output: string, log: Log): Promise<void> {
  const builder = unfinished('root');
  await unpackDebian(builder, 'golang-go,ca-certificates', log);
  // Modules come over connections that this machine trusts.
  const certificates = 'etc/ssl/certs/ca-certificates.crt';
  if (existsSync(join('/', certificates))) copyFileSync(join('/', certificates), join(builder, certificates));
  await run('cp', '-r', ferretSource, join(builder, 'source'));
  // Go finds its library through /proc, which is not mounted.
  const env = ['env', '-C', '/source', 'HOME=/root', 'CGO_ENABLED=0', 'GOROOT=/usr/lib/go'];
  await run('chroot', builder, ...env, ...GO_BUILD, '/ferretdb', '.');
  renameSync(join(builder, 'ferretdb'), output);
  await run('rm', '-rf', '--one-file-system', builder);
}

function run(...command: [string, ...string[]]): Promise<void> {
  return runToEnd({ name: command.join(' '), command, logFile: rootLog });
}
