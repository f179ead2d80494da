import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../folders.ts';
import { withLock } from '../process/lock.ts';
import { runToEnd } from '../process/run-to-end.ts';
import { debianMirror } from '../programs/debian-mirror.ts';
import { canAptInstall, ensurePrograms, findProgram } from '../programs/ensure-programs.ts';
import { type Log, SetupError } from '../setup-error.ts';

/**
 * Docker Engine and Compose out of Debian's packages, for machines that have none and reach package registries only. They
 * are unpacked in a folder of the cache; this machine gets no package but what unpacks them.
 */

// Raise the number when the steps below change: other roots are made, and the old ones are left alone.
export const home = join(cacheFolder, 'docker-1');
/** A Debian without any program of ours: images are made of it where none can be pulled. */
export const debianRoot = join(home, 'debian');
export const engineRoot = join(home, 'engine');
/** For `DOCKER_CONFIG`: with it, `docker compose` is the one of `engineRoot`. */
export const dockerConfig = join(home, 'config');

const RELEASE = 'trixie'; // the first with an engine that knows start intervals and volumes' sub-paths
const log = join(home, 'setup.log');

/** Makes what is missing. Each root gets its name only when it is whole. @throws SetupError where it cannot. */
export async function prepareDockerRoot(say: Log): Promise<void> {
  if (existsSync(engineRoot)) return;
  if (!canAptInstall() || !findProgram('unshare')) {
    throw new SetupError(
      'No Docker Engine: start one, or set DOCKER_HOST. On Debian, root gets one by itself.',
    );
  }
  await withLock('docker-root', say, async () => {
    if (existsSync(engineRoot)) return;
    say('Unpacking Docker Engine and Compose, once for this user (one to two minutes)…');
    await prepareDebianRoot(say);
    await makeEngineRoot();
  });
}

/** Makes `debianRoot` where it is missing; the caller holds a lock of its own. */
export async function prepareDebianRoot(say: Log): Promise<void> {
  await withLock('debian-root', say, async () => {
    mkdirSync(home, { recursive: true });
    if (!existsSync(debianRoot)) await makeDebianRoot(say);
  });
}

async function makeDebianRoot(say: Log): Promise<void> {
  await ensurePrograms([{ names: ['debootstrap'], apt: 'debootstrap' }], say);
  const partial = `${debianRoot}.partial`;
  removeRoot(partial);
  await run(
    'debootstrap',
    '--variant=minbase',
    '--include=ca-certificates',
    RELEASE,
    partial,
    await debianMirror(),
  );
  // Packages are fetched through whatever this machine trusts.
  const certificates = 'etc/ssl/certs/ca-certificates.crt';
  copyFileSync(join('/', certificates), join(partial, certificates));
  await run('chroot', partial, 'apt-get', 'clean');
  renameSync(partial, debianRoot);
}

async function makeEngineRoot(): Promise<void> {
  const partial = `${engineRoot}.partial`;
  removeRoot(partial);
  await run('cp', '-a', '--reflink=auto', debianRoot, partial);
  copyFileSync('/etc/resolv.conf', join(partial, 'etc/resolv.conf'));
  const apt = (...words: string[]) =>
    run('chroot', partial, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...words);
  await apt('update');
  await apt(
    'install',
    '-y',
    '--no-install-recommends',
    'docker.io',
    'docker-cli',
    'docker-compose',
    'iptables',
  );
  await apt('clean');
  mkdirSync(join(dockerConfig, 'cli-plugins'), { recursive: true });
  const compose = 'docker-compose';
  copyFileSync(
    join(partial, 'usr/libexec/docker/cli-plugins', compose),
    join(dockerConfig, 'cli-plugins', compose),
  );
  renameSync(partial, engineRoot);
}

function removeRoot(path: string): void {
  rmSync(path, { recursive: true, force: true });
}

function run(...command: [string, ...string[]]): Promise<void> {
  return runToEnd({ name: command.join(' '), command, logFile: log });
}
