import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BRANCHES, COVERAGE } from '#local/demo-data.ts';
import { repoRoot } from '#local/folders.ts';
import { branchTable, type CsvTable, columnsOf, coverageTable } from '#services/branches/csv-columns.ts';
import { formatCsv } from '#shared/commands/csv.ts';
import type { Kubectl } from './kubectl.ts';
import { writeOverlay } from './overlay.ts';

/** Installs k8s/small as k8s/README.md ("First start") says, with a user and the demo data's branches. */

export const USER = { name: 'tienda', password: 'una prueba en Kubernetes' };
const DEPLOYMENTS = ['api', 'branches', 'canary', 'dashboard', 'label-worker', 'webhooks'];
const STORES = ['mongo', 'redis'];
/** Longest time until a Service leads to pods that are ready, in ms. */
const SERVED_MS = 60_000;

/** Applies all of it at once, stores and services. @returns seconds until every pod is ready. */
export async function installSmall(kubectl: Kubectl): Promise<number> {
  const started = performance.now();
  await kubectl.run('create', 'namespace', 'guias');
  await kubectl.pipe(printSecrets(), 'create', '-f', '-');
  await installProfile(kubectl);
  await kubectl.run('apply', '--server-side', '--kustomize', writeOverlay('small'));
  for (const name of STORES) await kubectl.rolledOut('statefulset', name);
  for (const name of ['mongo-users', 'canary-account'])
    await kubectl.run('wait', '--for=condition=Complete', `job/${name}`, '--timeout=240s');
  for (const name of DEPLOYMENTS) await kubectl.rolledOut('deployment', name);
  return (performance.now() - started) / 1_000;
}

function printSecrets(): string {
  const program = join(repoRoot, 'local/access/kubernetes-secrets.ts');
  return execFileSync(process.execPath, [program], { encoding: 'utf8' });
}

/** Puts the label worker's seccomp profile on every node. */
async function installProfile(kubectl: Kubectl): Promise<void> {
  const file = `--from-file=${join(repoRoot, 'k8s/chromium-seccomp.json')}`;
  const configMap = ['create', 'configmap', 'chromium-seccomp', file, '--namespace', 'kube-system'];
  const object = await kubectl.run(...configMap, '--dry-run=client', '--output', 'yaml');
  await kubectl.pipe(object, 'apply', '--server-side', '--namespace', 'kube-system', '-f', '-');
  await kubectl.run(
    'apply',
    '--server-side',
    '--namespace',
    'kube-system',
    '-f',
    join(repoRoot, 'k8s/chromium-seccomp.yaml'),
  );
  const rollout = ['rollout', 'status', 'daemonset/chromium-seccomp', '--timeout=120s'];
  await kubectl.run(...rollout, '--namespace', 'kube-system');
}

/** Creates a user and loads branches and coverage from the operators' pod, which then ends. */
export async function loadData(kubectl: Kubectl): Promise<void> {
  await kubectl.run('scale', 'deployment/operator', '--replicas=1');
  await kubectl.rolledOut('deployment', 'operator');
  const exec = ['exec', '--stdin', 'deployment/operator'];
  const admin = [...exec, '--container', 'admin', '--', 'node', 'services/api/cli.ts'];
  const permissions = ['--permissions', 'guias.create,guias.read', '--origin', 'MEX01'];
  const loads = [...exec, '--container', 'loads', '--', 'node', 'services/branches/cli.ts'];
  const input = '/dev/stdin';
  await kubectl.pipe(csv(branchTable, BRANCHES), ...loads, 'import', input);
  await kubectl.pipe(csv(coverageTable(new Set()), COVERAGE), ...loads, 'coverage', 'import', input);
  await kubectl.pipe(`${USER.password}\n`, ...admin, 'create', USER.name, ...permissions);
  await kubectl.run('scale', 'deployment/operator', '--replicas=0');
}

function csv<R, C extends string>(table: CsvTable<R, C>, records: R[]): string {
  return formatCsv(columnsOf(table), records.map(table.toCells));
}

/** Returns the api's address on a node, once it answers there: a pod is ready before its Service leads to it. */
export async function apiUrl(kubectl: Kubectl): Promise<string> {
  const { spec } = await kubectl.json<{ spec: { ports: { nodePort: number }[] } }>(
    'get',
    'service',
    'outside',
  );
  type Node = { status: { addresses: { type: string; address: string }[] } };
  const { items } = await kubectl.json<{ items: Node[] }>('get', 'nodes');
  const address = items[0]?.status.addresses.find(({ type }) => type === 'InternalIP')?.address;
  const url = `http://${address}:${spec.ports[0]?.nodePort}`;
  await untilAnswers(url);
  return url;
}

async function untilAnswers(url: string): Promise<void> {
  for (const began = performance.now(); ; await sleep(200)) {
    try {
      await fetch(`${url}/health/live`, { signal: AbortSignal.timeout(2_000) });
      return;
    } catch (cause) {
      if (performance.now() - began > SERVED_MS)
        throw new Error(`The api does not answer at ${url} after ${SERVED_MS / 1_000} s`, { cause });
    }
  }
}
