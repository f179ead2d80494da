import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { startProxy } from '../system/proxy.ts';

/** A way to the api for one canary, which can be broken without breaking anybody else's. */
export type WayIn = { url: string; close(): Promise<void> };

/** Starts a balancer over processes of the api, which probes none of them. `ports` may be changed. */
export async function startLegs(ports: number[]): Promise<WayIn & { ports: number[] }> {
  let turn = 0;
  const legs = { ports };
  const proxy = await startProxy(() => legs.ports[turn++ % legs.ports.length]);
  return Object.assign(legs, { url: `http://127.0.0.1:${proxy.port}`, close: proxy.close });
}

/** Starts a server that accepts connections, and never answers. */
export async function startDeadLeg(): Promise<{ port: number; close(): Promise<void> }> {
  const server = createTcpServer((socket) => void socket.on('error', () => {}));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => void server.close();
  return { port: (server.address() as AddressInfo).port, close };
}

/** Starts a proxy that ends TLS for `localhost`. @returns also the authority's certificate, and what sets its own out of date. */
export async function startTls(apiPort: number, folder: string) {
  const { ca, valid, expired } = makeCertificates(folder);
  const server = createTlsServer(valid);
  // Bytes pass as they are, once TLS is ended.
  server.removeAllListeners('secureConnection').on('secureConnection', (socket) => {
    const plain = connect(apiPort, '127.0.0.1');
    for (const side of [socket, plain])
      side.on('error', () => {}).on('close', () => [socket, plain].map((each) => each.destroy()));
    socket.pipe(plain).pipe(socket);
  });
  server.on('tlsClientError', () => {});
  server.listen(0, 'localhost');
  await once(server, 'listening');
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    ca,
    expire: () => server.setSecureContext(expired),
    renew: () => server.setSecureContext(valid),
    close: async () => void server.close(),
  };
}

function makeCertificates(folder: string) {
  const openssl = (line: string) => execFileSync('openssl', line.split(' '), { cwd: folder, stdio: 'pipe' });
  const request = 'req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes';
  openssl(`${request} -x509 -days 1 -subj /CN=authority -keyout ca.key -out ca.pem`);
  openssl(`${request} -subj /CN=localhost -keyout way.key -out way.csr`);
  writeFileSync(join(folder, 'way.names'), 'subjectAltName=DNS:localhost');
  const key = readFileSync(join(folder, 'way.key'));
  const signed = (days: number) => {
    openssl(
      `x509 -req -in way.csr -days ${days} -extfile way.names -CA ca.pem -CAkey ca.key -CAcreateserial -out way.pem`,
    );
    return { key, cert: readFileSync(join(folder, 'way.pem')) };
  };
  return { ca: join(folder, 'ca.pem'), valid: signed(1), expired: signed(-1) };
}
