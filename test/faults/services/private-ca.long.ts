import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { createServer } from 'node:tls';
import { Redis } from 'ioredis';
import { expect, onTestFinished, vi } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { freePort } from '#local/process/free-port.ts';
import { startProcess } from '#local/process/owned-process.ts';
import { waitUntilReady } from '#local/process/wait-until-ready.ts';
import { type ServiceName, serviceSettings, startSystem } from '#local/system.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { test as systemTest } from '#test/fixtures/system.ts';

/**
 * Stores that speak TLS alone, with certificates of a private authority: what k8s/components/private-ca mounts. Redis does so
 * itself; the TLS of MongoDB ends in front of it, since the substitute for it has none.
 */
const test = systemTest
  .extend('certificates', { scope: 'file' }, ({ folder }) => makeCertificates(folder))
  .extend('redissUrl', { scope: 'file' }, async ({ certificates, folder }, { onCleanup }) => {
    const port = await freePort();
    const { cert, key, ca } = certificates;
    const tls = `--tls-port ${port} --tls-cert-file ${cert} --tls-key-file ${key} --tls-ca-cert-file ${ca}`;
    const settings = `--port 0 ${tls} --tls-auth-clients no --dir ${folder}`.split(' ');
    const command: [string, ...string[]] = ['redis-server', ...settings, '--save', ''];
    const server = startProcess({ name: 'Redis', command, logFile: join(folder, 'redis-tls.log') });
    onCleanup(() => server.stop());
    const redis = new Redis(`rediss://localhost:${port}`, { tls: { ca: readFileSync(ca) } });
    redis.on('error', () => {}); // until the server listens
    await waitUntilReady(
      server,
      async () => (await redis.config('SET', 'maxmemory-policy', 'noeviction')) === 'OK',
      20_000,
    );
    redis.disconnect();
    return `rediss://localhost:${port}`;
  })
  .extend('mongoTlsUri', { scope: 'file' }, async ({ certificates, stores }, { onCleanup }) => {
    const mongo = new URL(stores.mongoUri);
    const options = { cert: readFileSync(certificates.cert), key: readFileSync(certificates.key) };
    const server = createServer(options, (socket) => {
      const plain = connect(Number(mongo.port), mongo.hostname);
      pipeline(socket, plain, socket, () => {});
    });
    server.on('tlsClientError', () => {}); // the client does not trust us: one of the tests
    const port = await freePort();
    server.listen(port, 'localhost');
    onCleanup(() => void server.close());
    return `mongodb://localhost:${port}${mongo.pathname}?tls=true`;
  })
  .extend('options', { scope: 'file' }, ({ systemOptions, redissUrl, mongoTlsUri }) => ({
    ...systemOptions,
    redisUrl: redissUrl,
    mongoUri: mongoTlsUri,
  }));

test('with the authority, all services start and print', async ({ certificates, options }) => {
  vi.stubEnv('NODE_EXTRA_CA_CERTS', certificates.ca);
  const system = await startSystem(options);
  onTestFinished(() => system.stop());
  const demo = await Client.login(system.addresses.api);
  const [guide] = await demo.created(minimalGuide());
  const { status, bytes } = await demo.pdf(`/api/guias/etiqueta/${guide?.SEND_GUIA}`);
  expect([status, bytes.subarray(0, 5).toString()]).toEqual([200, '%PDF-']);
});

test.for<[ServiceName, string]>([
  ['label-worker', 'Redis'],
  ['branches', 'MongoDB'],
])(
  'with another authority, the log of %s says that the certificate of %s is not trusted',
  async ([name], { certificates, options, folder }) => {
    const settings = serviceSettings(options, {
      api: '',
      branches: '',
      canary: '',
      dashboard: '',
      'label-worker': '',
      webhooks: '',
    });
    const service = startProcess({
      name,
      command: [process.execPath, join(repoRoot, 'services', name, 'main.ts')],
      env: { ...process.env, ...settings[name], PORT: '0', NODE_EXTRA_CA_CERTS: certificates.other },
      logFile: join(folder, `${name}-distrusts.log`),
    });
    onTestFinished(() => service.stop());
    await expect
      .poll(() => readFileSync(service.logFile, 'utf8'))
      .toMatch(/unable to verify the first certificate|self-signed certificate in certificate chain/);
  },
);

/** Makes a private authority, a certificate for `localhost` that it signed, and an authority that signed nothing. */
function makeCertificates(folder: string) {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const request = ['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  for (const name of ['ca', 'other'])
    openssl(
      ...request,
      ...'-x509 -days 1 -subj'.split(' '),
      `/CN=${name}`,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
    );
  openssl(...request, '-subj', '/CN=localhost', '-keyout', 'store.key', '-out', 'store.csr');
  writeFileSync(join(folder, 'names'), 'subjectAltName=DNS:localhost');
  const signed = ['x509', '-req', '-in', 'store.csr', '-days', '1', '-extfile', 'names', '-out', 'store.pem'];
  openssl(...signed, '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial');
  const path = (name: string) => join(folder, name);
  return { ca: path('ca.pem'), other: path('other.pem'), cert: path('store.pem'), key: path('store.key') };
}
