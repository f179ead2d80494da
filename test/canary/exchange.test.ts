import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTls } from 'node:https';
import { type AddressInfo, createServer as createTcp, type Server } from 'node:net';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect, onTestFinished } from 'vitest';
import { freePort } from '#local/process/free-port.ts';
import { type Endpoint, exchange } from '#services/canary/http/exchange.ts';
import { test } from '#test/fixtures/folder.ts';

const asked = { path: '/api', deadlineMs: 20_000 };
const wordsOf = (destination: Endpoint, more = {}) =>
  exchange(destination, { ...asked, ...more }).then(
    ({ status }) => `status ${status}`,
    (error: Error) => error.message,
  );

/** Starts a server for this test. @returns its port. */
async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}
const serve = async (answer: RequestListener) => ({
  url: `http://127.0.0.1:${await listen(createServer(answer))}`,
});

test('an answer is whole, and each request has a connection of its own', async () => {
  const ports = new Set<number | undefined>();
  const server = await serve(({ socket, headers }, response) => {
    ports.add(socket.remotePort);
    response.end(`${headers['x-a']} ñ`);
  });
  for (const each of ['1', '2']) {
    const { status, body } = await exchange(server, { ...asked, headers: { 'x-a': each } });
    expect([status, body.toString()]).toEqual([200, `${each} ñ`]);
  }
  expect(ports.size).toBe(2);
});

test('a body that ends early is no answer', async () => {
  const withLength = await serve((_, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('half', () => response.destroy());
  });
  const inChunks = await serve((_, response) => void response.write('half', () => response.destroy()));
  expect(await Promise.all([withLength, inChunks].map((server) => wordsOf(server)))).toEqual([
    'la respuesta se cortó',
    'la respuesta se cortó',
  ]);
});

test('a redirect is not followed', async () => {
  const server = await serve((_, response) => void response.writeHead(302, { location: '/' }).end());
  expect(await wordsOf(server)).toBe('status 302');
});

test('a dead leg is met: one that takes connections and says nothing, or resets them, or is away', async () => {
  const silent = await listen(createTcp(() => {}));
  const resetting = await listen(createTcp((socket) => void socket.resetAndDestroy()));
  const at = (port: number) => ({ url: `http://127.0.0.1:${port}` });
  expect(await wordsOf(at(silent), { deadlineMs: 100 })).toBe('sin respuesta en 100 ms');
  expect(await wordsOf(at(resetting))).toBe('la conexión se cortó sin respuesta');
  expect(await wordsOf(at(await freePort()))).toBe('nadie escucha en esa dirección');
});

test('the deadline holds until the last byte', async () => {
  const server = await serve(
    (_, response) => void response.writeHead(200, { 'content-length': 10 }).write('12345'),
  );
  expect(await wordsOf(server, { deadlineMs: 100 })).toBe('sin respuesta en 100 ms');
});

test('a request goes to one address of its host, and keeps the name', async () => {
  const { url } = await serve(({ headers }, response) => void response.end(headers.host));
  const { port } = new URL(url);
  const named = { url: `http://api-each.invalid:${port}`, address: '127.0.0.1' };
  expect((await exchange(named, asked)).body.toString()).toBe(`api-each.invalid:${port}`);
  expect(await wordsOf({ url: named.url })).toBe('el DNS no da ninguna dirección');
});

test('a TLS certificate is checked: its end, its name and who signed it', async ({ folder }) => {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const request = 'req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'.split(' ');
  openssl(...request, ...'-x509 -days 1 -subj /CN=ca -keyout ca.key -out ca.pem'.split(' '));
  openssl(...request, ...'-subj /CN=localhost -keyout own.key -out own.csr'.split(' '));
  writeFileSync(join(folder, 'names'), 'subjectAltName=DNS:localhost');
  const file = (name: string) => readFileSync(join(folder, name), 'utf8');
  const urlWith = async (days: string) => {
    const signed = '-in own.csr -CA ca.pem -CAkey ca.key -CAcreateserial -extfile names -out own.pem'.split(
      ' ',
    );
    openssl('x509', '-req', '-days', days, ...signed);
    const server = createTls({ key: file('own.key'), cert: file('own.pem') }, (_, response) =>
      response.end(),
    );
    return `https://localhost:${await listen(server)}`;
  };
  const valid = await urlWith('1');
  expect(await wordsOf({ url: valid })).toBe('el certificado TLS no es válido');
  const usual = getCACertificates('default');
  onTestFinished(() => setDefaultCACertificates(usual));
  setDefaultCACertificates([...usual, file('ca.pem')]);
  expect(await wordsOf({ url: valid })).toBe('status 200');
  expect(await wordsOf({ url: await urlWith('-1') })).toBe('el certificado TLS venció');
  const otherName = { url: valid.replace('localhost', 'otro.invalid'), address: '127.0.0.1' };
  expect(await wordsOf(otherName)).toBe('el certificado TLS no es válido');
});
