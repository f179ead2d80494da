import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Certificates of a cluster that lives for hours: a new authority for each, which nobody else trusts. */

const DAYS = '30';
const P256 = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** Programs by the file of their certificate: the name by which the api server knows them, and their group. */
const CLIENTS: Readonly<Record<string, string>> = {
  administrator: '/O=system:masters/CN=administrator',
  'kube-controller-manager': '/CN=system:kube-controller-manager',
  'kube-scheduler': '/CN=system:kube-scheduler',
  'kube-proxy': '/CN=system:kube-proxy',
  kubelet: '/O=system:nodes/CN=system:node:node',
};

/**
 * Makes in `folder` an authority `ca`, the certificates `kube-apiserver` and `kubelet` for these addresses, those of the
 * other programs, and for each program a kubeconfig `<name>.conf` that leads to `server`.
 */
export function makeCertificates(folder: string, server: string, addresses: string[]): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const request = ['req', '-x509', '-days', DAYS, ...P256];
  const authority = ['-addext', 'keyUsage=critical,keyCertSign,digitalSignature'];
  openssl(...request, '-subj', '/CN=shipping-guides', ...authority, ...files('ca'));
  const names = [
    ...addresses.map((address) => `IP:${address}`),
    ...['kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'localhost'].map(
      (name) => `DNS:${name}`,
    ),
  ];
  for (const [name, subject] of Object.entries({
    ...CLIENTS,
    'kube-apiserver': '/O=system:masters/CN=kube-apiserver',
  })) {
    const extensions = [
      'basicConstraints=critical,CA:FALSE',
      'extendedKeyUsage=serverAuth,clientAuth',
      `subjectAltName=${names}`,
    ].flatMap((each) => ['-addext', each]);
    const issuer = ['-CA', 'ca.crt', '-CAkey', 'ca.key'];
    openssl(...request, ...issuer, '-subj', subject, ...extensions, ...files(name));
    writeFileSync(join(folder, `${name}.conf`), kubeconfig(folder, name, server), { mode: 0o600 });
  }
  openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', 'service-accounts.key');
  openssl('ec', '-in', 'service-accounts.key', '-pubout', '-out', 'service-accounts.pub');
}

const files = (name: string) => ['-keyout', `${name}.key`, '-out', `${name}.crt`];

/** A kubeconfig as JSON, which every reader of YAML reads. */
function kubeconfig(folder: string, user: string, server: string): string {
  const at = (file: string) => join(folder, file);
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'guias', cluster: { server, 'certificate-authority': at('ca.crt') } }],
    users: [
      { name: user, user: { 'client-certificate': at(`${user}.crt`), 'client-key': at(`${user}.key`) } },
    ],
    contexts: [{ name: 'guias', context: { cluster: 'guias', user } }],
    'current-context': 'guias',
  });
}
