import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '#local/process/free-port.ts';
import { type OwnedProcess, startProcess } from '#local/process/owned-process.ts';
import { waitUntilReady } from '#local/process/wait-until-ready.ts';
import type { ApiServer } from '../api-server.ts';
import { programsFolder } from '../programs.ts';
import { kedaDefinitions, kedaFolder } from './programs.ts';

/** Longest wait until the api server gets metrics from KEDA, in ms. */
const START_TIMEOUT_MS = 120_000;
const METRICS = 'v1beta1.external.metrics.k8s.io';

/**
 * Starts beside an api server of the loopback address what scales Deployments, without a node: Kubernetes' controllers, the
 * HorizontalPodAutoscaler among them, and KEDA. Pods are made and stay pending.
 */
export async function startAutoscaling(
  server: ApiServer,
  folder: string,
): Promise<{ close(): Promise<void> }> {
  const started: OwnedProcess[] = [];
  const start = (path: string, name: string, args: string[], env = {}) => {
    const options = { logFile: join(folder, 'logs', `${name}.log`), env: { ...process.env, ...env } };
    const program = startProcess({ name, command: [join(path, name), ...args], ...options });
    started.push(program);
    return program;
  };
  start(programsFolder, 'kube-controller-manager', [
    ...asUser(join(server.pki, 'kube-controller-manager.conf'), 'kubeconfig'),
    `--service-account-private-key-file=${join(server.pki, 'service-accounts.key')}`,
    ...[`--root-ca-file=${join(server.pki, 'ca.crt')}`, '--use-service-account-credentials=true'],
    ...['--leader-elect=false', `--secure-port=${await freePort()}`],
  ]);
  const [metrics, operator] = [await freePort(), await freePort()];
  await server.kubectl('apply', '--server-side', '-f', kedaDefinitions);
  const objects = join(folder, 'keda.json');
  writeFileSync(objects, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: metricsApi(metrics) }));
  await server.kubectl('apply', '--server-side', '-f', objects);

  const user = server.env.KUBECONFIG;
  const certificates = kedaCertificates(server, folder);
  const env = { KUBECONFIG: user, POD_NAMESPACE: 'keda', POD_NAME: 'keda', WATCH_NAMESPACE: '' };
  start(
    kedaFolder,
    'keda-operator',
    [
      ...[`--kubeconfig=${user}`, `--cert-dir=${certificates}`],
      `--metrics-service-bind-address=127.0.0.1:${operator}`,
      ...[`--metrics-bind-address=127.0.0.1:${await freePort()}`, `--health-probe-bind-address=127.0.0.1:0`],
    ],
    { ...env, KEDA_CLUSTER_OBJECT_NAMESPACE: 'keda' },
  );
  const adapter = start(
    kedaFolder,
    'keda-adapter',
    [
      ...asUser(user, 'lister-kubeconfig'),
      ...[`--cert-dir=${certificates}`, `--client-ca-file=${join(certificates, 'ca.crt')}`],
      ...['crt', 'key'].map(
        (kind) =>
          `--tls-${kind === 'crt' ? 'cert' : 'private-key'}-file=${join(certificates, `tls.${kind}`)}`,
      ),
      ...[`--secure-port=${metrics}`, `--port=${await freePort()}`],
      `--metrics-service-address=localhost:${operator}`,
    ],
    env,
  );
  const available = async () => {
    const path = 'jsonpath={.status.conditions[?(@.type=="Available")].status}';
    return (await server.kubectl('get', 'apiservice', METRICS, '-o', path)) === 'True';
  };
  await waitUntilReady(adapter, available, START_TIMEOUT_MS);
  return {
    async close() {
      for (const each of started.reverse()) await each.stop();
    },
  };
}

function asUser(file: string, own: string): string[] {
  return [own, 'authentication-kubeconfig', 'authorization-kubeconfig'].map((flag) => `--${flag}=${file}`);
}

/** The api server's way to KEDA's figures, at a port of this machine. */
function metricsApi(port: number): object[] {
  const service = { name: 'keda-metrics-apiserver', namespace: 'keda' };
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'keda' } },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: service,
      spec: { type: 'ExternalName', externalName: 'localhost' },
    },
    {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: METRICS },
      spec: {
        ...{ group: 'external.metrics.k8s.io', version: 'v1beta1', insecureSkipTLSVerify: true },
        ...{ service: { ...service, port }, groupPriorityMinimum: 100, versionPriority: 100 },
      },
    },
  ];
}

/** Makes the folder of certificates that KEDA's two programs expect, of one that is good for this machine. */
function kedaCertificates({ pki }: ApiServer, folder: string): string {
  const certificates = join(folder, 'keda');
  mkdirSync(certificates, { recursive: true });
  copyFileSync(join(pki, 'ca.crt'), join(certificates, 'ca.crt'));
  for (const kind of ['crt', 'key'])
    copyFileSync(join(pki, `kube-apiserver.${kind}`), join(certificates, `tls.${kind}`));
  return certificates;
}
