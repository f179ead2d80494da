import { spawnSync } from 'node:child_process';
import { defineConfig } from 'vitest/config';

/** Test files by the ending of their name, which says what the cluster of `KUBECONFIG` must have for them. */
const ENDINGS = { node: 'k8s.ts', apiServerAlone: 'api-server.ts', apiServerWithKeda: 'keda.ts' };

const found = findCluster();

/** `npm run test:k8s`: k8s/ on the cluster of `KUBECONFIG`, one file after the other. */
export default defineConfig({
  test: {
    dir: 'test/kubernetes',
    include: [`*.${ENDINGS[found]}`],
    globalSetup: [
      './test/fixtures/global-programs.ts',
      ...(found === 'node' ? ['./test/kubernetes/global-setup.ts'] : []),
    ],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 60_000 } },
    maxWorkers: 1,
    fileParallelism: false,
    reporters: ['verbose'],
  },
});

/** Returns what the cluster has. Where none answers, this process says so and fails. */
function findCluster(): keyof typeof ENDINGS {
  const file = process.env.KUBECONFIG;
  if (!file) refuse('test:k8s needs a cluster: set KUBECONFIG to the file that names it.');
  if (spawnSync('kubectl', ['version', '--client']).error) refuse('test:k8s needs kubectl on PATH.');
  const nodes = kubectl('get', 'nodes', '--output', 'name');
  if (nodes === undefined) refuse(`No cluster answers at KUBECONFIG=${file}.`);
  if (nodes) return 'node';
  return kubectl('api-resources', '--api-group=keda.sh', '--output', 'name')
    ? 'apiServerWithKeda'
    : 'apiServerAlone';
}

/** Returns what the command prints, undefined where it fails. */
function kubectl(...args: string[]): string | undefined {
  const { status, stdout } = spawnSync('kubectl', args, { encoding: 'utf8', timeout: 20_000 });
  return status === 0 ? stdout.trim() : undefined;
}

function refuse(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
