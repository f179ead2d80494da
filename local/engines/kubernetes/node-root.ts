import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from '../../process/lock.ts';
import { runToEnd } from '../../process/run-to-end.ts';
import { canAptInstall, findProgram } from '../../programs/ensure-programs.ts';
import { type Log, SetupError } from '../../setup-error.ts';
import { debianRoot, prepareDebianRoot } from '../docker-root.ts';
import { home } from './programs.ts';

/** A Debian with what a node needs besides Kubernetes' own programs; this machine gets none of it. */
export const nodeRoot = join(home, 'root');

const PACKAGES = [
  'containerd',
  'runc',
  'containernetworking-plugins',
  'iptables',
  'nftables',
  'iproute2',
  'busybox-static',
];

/** Makes the root where it is missing. @throws SetupError where it cannot. */
export async function prepareNodeRoot(log: Log): Promise<void> {
  if (existsSync(nodeRoot)) return;
  if (!canAptInstall() || !findProgram('unshare') || !findProgram('nsenter')) {
    throw new SetupError('No Kubernetes: set KUBECONFIG to a cluster. On Debian, root gets one by itself.');
  }
  await withLock('kubernetes-root', log, async () => {
    if (existsSync(nodeRoot)) return;
    await prepareDebianRoot(log);
    log(`Unpacking a Kubernetes node's Debian into ${nodeRoot}, once for this user (half a minute)…`);
    await makeRoot(`${nodeRoot}.partial`);
  });
}

async function makeRoot(partial: string): Promise<void> {
  rmSync(partial, { recursive: true, force: true });
  await run('cp', '-a', '--reflink=auto', debianRoot, partial);
  copyFileSync('/etc/resolv.conf', join(partial, 'etc/resolv.conf'));
  const apt = (...words: string[]) =>
    run('chroot', partial, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...words);
  await apt('update');
  await apt('install', '-y', '--no-install-recommends', ...PACKAGES);
  await apt('clean');
  renameSync(partial, nodeRoot);
}

function run(...command: [string, ...string[]]): Promise<void> {
  return runToEnd({ name: command.join(' '), command, logFile: join(home, 'root.log') });
}
