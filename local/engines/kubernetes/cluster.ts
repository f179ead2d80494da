import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { tryLock } from '../../process/lock.ts';
import { runToEnd } from '../../process/run-to-end.ts';
import { ensurePrograms } from '../../programs/ensure-programs.ts';
import { type Log, SetupError } from '../../setup-error.ts';
import { type DockerEngine, provideDockerEngine } from '../docker-engine.ts';
import { type Node, startNode } from './node.ts';
import { nodeRoot, prepareNodeRoot } from './node-root.ts';
import { home, prepareKubernetesPrograms, programsFolder } from './programs.ts';

export type Cluster = {
  /** What `kubectl` needs in its environment. */
  env: Record<string, string>;
  description: string;
  /** The node that was started for this process, and the engine whose images it gets; none for `KUBECONFIG`. */
  own?: { node: Node; engine: DockerEngine };
  close(): Promise<void>;
};

/** The node's own images: by the name that pods use, what the engine has it as. */
const BUSYBOX = 'guias/stand-in-busybox:local';
const COREDNS = 'guias/stand-in-coredns:local';
const OWN_IMAGES = {
  'docker.io/library/busybox:1.37.0': BUSYBOX,
  'registry.k8s.io/pause:3.10': BUSYBOX,
  [`docker.io/${COREDNS}`]: COREDNS,
};

/**
 * Provides Kubernetes: the cluster of `KUBECONFIG`, otherwise one of a single node out of Go modules and Debian's
 * packages, which ends with this process and begins empty at the next start.
 *
 * @throws SetupError where there is none and none can be made.
 */
export async function provideCluster(log: Log): Promise<Cluster> {
  if (process.env.KUBECONFIG) return givenCluster(process.env.KUBECONFIG);
  await ensurePrograms(
    [
      { names: ['openssl'], apt: 'openssl' },
      { names: ['ip'], apt: 'iproute2' },
    ],
    log,
  );
  await prepareNodeRoot(log);
  await prepareKubernetesPrograms(log);
  const release = await tryLock('kubernetes-node');
  if (!release)
    throw new SetupError('Another process runs this cluster: set KUBECONFIG to what it printed, or end it.');
  const engine = await provideDockerEngine(log);
  log('Starting Kubernetes…');
  const started = performance.now();
  const node = await startNode();
  makeOwnImages(engine);
  await loadImages({ node, engine }, OWN_IMAGES);
  await node.kubectl('apply', '--server-side', '-f', join(import.meta.dirname, 'etc/cluster.yaml'));
  await node.kubectl('wait', '--for=create', 'node/node', '--timeout=60s');
  await node.kubectl('wait', '--for=condition=Ready', 'node/node', '--timeout=60s');
  await node.kubectl('-n', 'kube-system', 'rollout', 'status', 'deployment/coredns', '--timeout=60s');
  log(`The node and its DNS are ready, after ${Math.round((performance.now() - started) / 1_000)} s.`);
  const close = async () => {
    await node.close();
    await engine.close();
    release();
  };
  return {
    env: node.env,
    description: 'a single-node Kubernetes of this machine',
    own: { node, engine },
    close,
  };
}

async function givenCluster(file: string): Promise<Cluster> {
  const { status } = spawnSync('kubectl', ['get', '--raw', '/readyz'], { stdio: 'ignore', timeout: 20_000 });
  if (status !== 0) throw new SetupError(`No cluster answers at KUBECONFIG=${file}, or there is no kubectl.`);
  return { env: {}, description: `the cluster of ${file}`, close: async () => {} };
}

/** Imports into the engine the images that the node itself needs, made of its own root and of our programs. */
function makeOwnImages(engine: DockerEngine): void {
  const busybox = `mkdir -p bin && cp ${nodeRoot}/usr/bin/busybox bin && for name in sh cp cat sleep; do ln -sf busybox bin/$name; done && tar -c bin`;
  const imports = [
    `${busybox} | docker import --change 'ENTRYPOINT ["/bin/sleep", "infinity"]' - ${BUSYBOX}`,
    `tar -C ${programsFolder} -c coredns | docker import --change 'ENTRYPOINT ["/coredns"]' - ${COREDNS}`,
  ];
  for (const command of imports) shell(engine, `cd "$(mktemp -d)" && ${command}`);
}

function shell({ env }: DockerEngine, script: string): void {
  const { status, stderr } = spawnSync('sh', ['-c', script], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${script} failed:\n${stderr}`);
}

/** Puts images of the Docker engine on the node, by the names that they get there. */
export async function loadImages(
  { node, engine }: NonNullable<Cluster['own']>,
  images: Record<string, string>,
): Promise<void> {
  const names = [...new Set(Object.values(images))];
  const ctr = ['ctr', '--namespace', 'k8s.io', 'images'];
  const pipe = `docker save ${names.join(' ')} | ${[...node.inside, ...ctr].join(' ')} import -`;
  await runToEnd({
    name: 'docker save and ctr import',
    command: ['sh', '-c', pipe],
    logFile: join(home, 'node/logs/images.log'),
    env: { ...process.env, ...engine.env },
  });
  for (const [target, name] of Object.entries(images)) {
    if (target !== `docker.io/${name}`) await node.run(...ctr, 'tag', '--force', `docker.io/${name}`, target);
  }
}
