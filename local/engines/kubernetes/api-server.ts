import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../process/free-port.ts';
import { type OwnedProcess, startProcess } from '../../process/owned-process.ts';
import { waitUntilReady } from '../../process/wait-until-ready.ts';
import { makeCertificates } from './certificates.ts';
import { programsFolder } from './programs.ts';

/** Longest wait for the api server, in ms: it takes 10 s, and half a minute on busy cores. */
const START_TIMEOUT_MS = 120_000;
export const SERVICE_ADDRESSES = '10.96.0.0/16';

/** Starts a program of Kubernetes, which ends with this process. */
export type Start = (name: string, ...args: string[]) => OwnedProcess;

export type ApiServer = {
  /** Has the certificates of all programs and their kubeconfigs, the administrator's among them. */
  pki: string;
  /** What `kubectl` needs in its environment to be the administrator. */
  env: { KUBECONFIG: string; PATH: string };
  /** Runs `kubectl` as the administrator. @throws with its output when it fails. */
  kubectl(...args: string[]): Promise<string>;
};

/** Starts etcd and kube-apiserver on free ports of the loopback address: enough for schemas, admission and storage. */
export async function startApiServer(folder: string): Promise<ApiServer & { close(): Promise<void> }> {
  const started: OwnedProcess[] = [];
  const start: Start = (name, ...args) => {
    const logFile = join(folder, 'logs', `${name}.log`);
    const server = startProcess({ name, command: [join(programsFolder, name), ...args], logFile });
    started.push(server);
    return server;
  };
  const server = await startApiServerAt('127.0.0.1', await freePort(), folder, start);
  const close = async () => {
    for (const each of started.reverse()) await each.stop();
  };
  return { ...server, close };
}

/** Starts etcd and kube-apiserver with `start`, to be reached at this address. */
export async function startApiServerAt(
  address: string,
  port: number,
  folder: string,
  start: Start,
): Promise<ApiServer> {
  const pki = join(folder, 'pki');
  makeCertificates(pki, `https://${address}:${port}`, [address, '127.0.0.1', '10.96.0.1']);
  const [clients, peers] = [await freePort(), await freePort()].map((each) => `http://127.0.0.1:${each}`) as [
    string,
    string,
  ];
  start(
    'etcd',
    ...['--data-dir', join(folder, 'etcd'), '--unsafe-no-fsync'],
    ...['--listen-client-urls', clients, '--advertise-client-urls', clients],
    ...[
      '--listen-peer-urls',
      peers,
      '--initial-advertise-peer-urls',
      peers,
      '--initial-cluster',
      `default=${peers}`,
    ],
  );
  const file = (name: string) => join(pki, name);
  const server = start(
    'kube-apiserver',
    `--etcd-servers=${clients}`,
    `--service-cluster-ip-range=${SERVICE_ADDRESSES}`,
    ...[`--bind-address=${address}`, `--advertise-address=${address}`, `--secure-port=${port}`],
    ...[
      `--tls-cert-file=${file('kube-apiserver.crt')}`,
      `--tls-private-key-file=${file('kube-apiserver.key')}`,
    ],
    ...[`--client-ca-file=${file('ca.crt')}`, '--authorization-mode=Node,RBAC'],
    ...['--enable-admission-plugins=NodeRestriction', '--allow-privileged=true'],
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-account-key-file=${file('service-accounts.pub')}`,
    `--service-account-signing-key-file=${file('service-accounts.key')}`,
    ...[
      `--kubelet-client-certificate=${file('kube-apiserver.crt')}`,
      `--kubelet-client-key=${file('kube-apiserver.key')}`,
    ],
    // For servers behind it, such as one of metrics: it says to them for whom it asks.
    ...[`--requestheader-client-ca-file=${file('ca.crt')}`, '--requestheader-allowed-names=front-proxy'],
    ...['--requestheader-username-headers=X-Remote-User', '--requestheader-group-headers=X-Remote-Group'],
    ...[
      `--proxy-client-cert-file=${file('front-proxy.crt')}`,
      `--proxy-client-key-file=${file('front-proxy.key')}`,
    ],
    ...[`--kubelet-certificate-authority=${file('ca.crt')}`, '--kubelet-preferred-address-types=InternalIP'],
  );
  const env = {
    KUBECONFIG: file('administrator.conf'),
    PATH: `${programsFolder}:${process.env.PATH}`,
  };
  const kubectl = async (...args: string[]) => {
    const options = { maxBuffer: 2 ** 26, env: { ...process.env, ...env } };
    return (await promisify(execFile)('kubectl', args, options)).stdout;
  };
  await waitUntilReady(
    server,
    async () => (await kubectl('get', '--raw', '/readyz')) === 'ok',
    START_TIMEOUT_MS,
  );
  return { pki, env, kubectl };
}
