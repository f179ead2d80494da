import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type OwnedProcess, startProcess } from '../../process/owned-process.ts';
import { waitUntilReady } from '../../process/wait-until-ready.ts';
import { type ApiServer, type Start, startApiServerAt } from './api-server.ts';
import { nodeRoot } from './node-root.ts';
import { home, programsFolder } from './programs.ts';

/** One machine of a cluster, in namespaces of its own: its processes, mounts and network end with this process. */
export type Node = ApiServer & {
  /** Runs a program on the node. @throws with its output when it fails. */
  run(...command: string[]): Promise<string>;
  /** Puts before a command what makes it run on the node. */
  inside: string[];
  close(): Promise<void>;
};

const state = join(home, 'node');
const settings = join(import.meta.dirname, 'etc');
/** This machine's and the node's ends of the cable between them. */
const [CABLE, OUTER, INNER] = ['guias-node', '10.78.0.1', '10.78.0.2'];
/** What kubelet sets for the whole machine: it gets its values back. */
const KERNEL = ['vm/overcommit_memory', 'vm/panic_on_oom', 'kernel/panic', 'kernel/panic_on_oops'].concat(
  ...['kernel/keys/root_maxkeys', 'kernel/keys/root_maxbytes'],
);

/** Starts a node with nothing on it. The caller holds the lock: there is one at a time. */
export async function startNode(): Promise<Node> {
  rmSync(state, { recursive: true, force: true });
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const restoreKernel = readKernel();
  const machine = startMachine();
  const inside = [
    'nsenter',
    `--mount=/proc/${machine.pid}/ns/mnt`,
    `--net=/proc/${machine.pid}/ns/net`,
  ].concat(`--pid=/proc/${machine.pid}/ns/pid_for_children`);
  const run = async (...command: string[]) => {
    const [program = '', ...args] = [...inside, ...command];
    return (await promisify(execFile)(program, args, { maxBuffer: 2 ** 26 })).stdout;
  };
  await waitUntilReady(machine, async () => (await run('ls', '/run/node-is-ready')) !== '', 10_000);
  await connect(machine.pid as number, run);
  const server = await startPrograms(inside, run);
  const close = async () => {
    await machine.stop();
    removeControlGroups();
    restoreKernel();
    rmSync(join(state, 'containerd'), { recursive: true }); // the images: gigabytes
  };
  return { ...server, run, inside, close };
}

function startMachine(): OwnedProcess {
  const script = join(import.meta.dirname, 'node.sh');
  return startProcess({
    name: 'Kubernetes node',
    command: [
      // Where this process dies, SIGKILL ends unshare, and with it process 1 of the node.
      ...(['setpriv', '--pdeathsig', 'KILL', '--'] as const),
      ...['unshare', '--mount', '--net', '--pid', '--fork', '--kill-child'],
      ...['bash', script, nodeRoot, home, state],
    ],
    logFile: logFile('node'),
    stopSignal: 'SIGKILL', // nothing of it is kept
  });
}

/** Lays a cable between this machine and the node, so that this machine reaches the api server and the node's ports. */
async function connect(pid: number, run: Node['run']): Promise<void> {
  const ip = (...args: string[]) => execFileSync('ip', args, { stdio: 'pipe' });
  ip('link', 'add', CABLE, 'type', 'veth', 'peer', 'name', 'cable', 'netns', `${pid}`);
  ip('address', 'add', `${OUTER}/30`, 'dev', CABLE);
  ip('link', 'set', CABLE, 'up');
  await run('ip', 'address', 'add', `${INNER}/30`, 'dev', 'cable');
  await run('ip', 'link', 'set', 'cable', 'up');
  await run('ip', 'route', 'add', 'default', 'via', OUTER);
}

async function startPrograms(inside: string[], run: Node['run']): Promise<ApiServer> {
  const start: Start = (name, ...args) => {
    const program = name === 'containerd' ? name : join(programsFolder, name);
    const command = [...inside, program, ...args] as [string, ...string[]];
    return startProcess({ name, command, logFile: logFile(name) });
  };
  await run('mkdir', '-p', '/etc/cni/net.d', '/run/settings');
  for (const name of ['containerd.toml', 'kubelet.yaml', '10-pods.conflist']) copyTo(inside, name);
  start('containerd', '--config', '/run/settings/containerd.toml');
  const server = await startApiServerAt(INNER, 6443, state, start);
  const pki = (name: string) => join(server.pki, name);
  const user = (name: string, flag: string) => `--${flag}=${pki(`${name}.conf`)}`;
  const asUser = (name: string) =>
    ['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'].map((flag) => user(name, flag));
  start(
    'kube-controller-manager',
    ...asUser('kube-controller-manager'),
    `--service-account-private-key-file=${pki('service-accounts.key')}`,
    ...[`--root-ca-file=${pki('ca.crt')}`, '--use-service-account-credentials=true'],
    ...['--allocate-node-cidrs=false', '--leader-elect=false'],
  );
  start('kube-scheduler', ...asUser('kube-scheduler'), '--leader-elect=false');
  start(
    'kubelet',
    ...[
      user('kubelet', 'kubeconfig'),
      '--config=/run/settings/kubelet.yaml',
      `--client-ca-file=${pki('ca.crt')}`,
    ],
    ...[`--tls-cert-file=${pki('kubelet.crt')}`, `--tls-private-key-file=${pki('kubelet.key')}`],
    ...['--hostname-override=node', `--node-ip=${INNER}`],
  );
  start(
    'kube-proxy',
    ...[user('kube-proxy', 'kubeconfig'), '--hostname-override=node', '--cluster-cidr=10.244.0.0/16'],
    ...['--proxy-mode=iptables', '--conntrack-max-per-core=0', '--conntrack-min=0'], // these are the whole machine's
  );
  return server;
}

/** Copies a file of `etc` onto the node, which sees no checkout. */
function copyTo(inside: string[], name: string): void {
  const folder = name.endsWith('.conflist') ? '/etc/cni/net.d' : '/run/settings';
  const [program = '', ...args] = [...inside, 'tee', join(folder, name)];
  spawnSync(program, args, {
    input: readFileSync(join(settings, name)),
    stdio: ['pipe', 'ignore', 'inherit'],
  });
}

function readKernel(): () => void {
  const paths = KERNEL.map((name) => join('/proc/sys', name));
  const values = paths.map((path) => readFileSync(path, 'utf8'));
  return () => {
    for (const [index, path] of paths.entries()) writeFileSync(path, values[index] ?? '');
  };
}

/** Removes the pods' control groups, which outlive their processes. */
function removeControlGroups(): void {
  const script =
    'find /sys/fs/cgroup -depth -type d \\( -path "*/kubepods*" -o -path "*/k8s.io*" \\) -exec rmdir {} +';
  spawnSync('sh', ['-c', script], { stdio: 'ignore' });
}

function logFile(name: string): string {
  return join(state, 'logs', `${name}.log`);
}
