import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import tls from 'node:tls';
import { expect } from 'vitest';
import { type EgressProxy, proxyConnector } from '#services/webhooks/proxy-connector.ts';
import { WebhookClient } from '#services/webhooks/webhook-client.ts';
import { publicOrIn } from '#shared/webhooks/public-address.ts';
import { startConnectProxy } from '#test/fixtures/connect-proxy.ts';
import { DEADLINE_MS } from '#test/fixtures/deadline.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
import { eventIds } from '#test/fixtures/receiver.ts';
import { test as webhooksTest } from '#test/fixtures/webhooks.ts';

/** `WEBHOOKS_PROXY_URL`, through a proxy that takes CONNECT. */

const MESSAGE = { id: 'msg_1', body: '{}' };
const INSIDE = 'El nombre no lleva a una direccion publica';
const OURS = { failure: 'No se pudo salir a internet', mayBeOurs: true };

const test = webhooksTest
  .extend('proxy', async ({}, { onCleanup }) => {
    const proxy = await startConnectProxy();
    onCleanup(() => proxy.close());
    return proxy;
  })
  /** Posts as a process that may reach the internet, and these networks. */
  .extend('post', ({ proxy }, { onCleanup }) => {
    const clients: WebhookClient[] = [];
    onCleanup(async () => {
      for (const client of clients) await client.close();
    });
    return (url: string, networks: string[] = [], own: Partial<EgressProxy> = {}) => {
      const client = new WebhookClient(
        proxyConnector({ url: proxy.url, ...own }, publicOrIn(networks)),
        Date.now,
      );
      clients.push(client);
      return client.post({ url, secrets: ['whsec_YQ=='] }, MESSAGE);
    };
  })
  /** A receiver with a certificate for tienda.example, which this process trusts. */
  .extend('tlsPort', { scope: 'file' }, async ({ folder }, { onCleanup }) => {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const name = ['-subj', '/CN=tienda.example', '-addext', 'subjectAltName=DNS:tienda.example'];
    const kind = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1'.split(' ');
    execFileSync('openssl', ['req', ...kind, ...name, '-keyout', key, '-out', cert], { stdio: 'pipe' });
    const trusted = tls.getCACertificates();
    tls.setDefaultCACertificates([...trusted, readFileSync(cert, 'utf8')]);
    const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
      request.resume().once('end', () => response.writeHead(request.headers['webhook-id'] ? 204 : 400).end());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onCleanup(() => {
      tls.setDefaultCACertificates(trusted);
      server.close();
    });
    return (server.address() as AddressInfo).port;
  });

test('a message goes through it, by a name that the proxy looks up', async ({ post, proxy, tlsPort }) => {
  const url = `https://tienda.example:${tlsPort}/guias`;
  expect(await post(url, [], { login: 'guias:clave:larga' })).toMatchObject({ status: 204 });
  expect(proxy.asked).toEqual([{ target: `tienda.example:${tlsPort}`, login: 'guias:clave:larga' }]);
});

test("the receiver's certificate is checked through it", async ({ post, tlsPort }) => {
  expect(await post(`https://otra.example:${tlsPort}/`)).toMatchObject({
    failure: 'El certificado TLS no es valido',
  });
});

test.for([
  ['http://127.0.0.1:9/'],
  ['http://169.254.169.254/'],
  ['https://[fd00:ec2::254]/'],
  ['http://localhost:9/'],
])('an address inside is not even asked for: %s', async ([url], { post, proxy }) => {
  expect(await post(url as string)).toMatchObject({ failure: INSIDE });
  expect(proxy.asked).toEqual([]);
});

test('an address in an allowed network is asked for', async ({ post, proxy, newReceiver }) => {
  const { port, url } = await newReceiver();
  expect(await post(url, ['127.0.0.0/8'])).toMatchObject({ status: 204 });
  expect(await post('http://[fd00::7]:9/', ['127.0.0.0/8', 'fd00::/64'])).toMatchObject({
    failure: 'No se pudo conectar',
  });
  expect(proxy.asked.map(({ target }) => target)).toEqual([`127.0.0.1:${port}`, '[fd00::7]:9']);
});

test('what it forbids is inside; what it cannot reach has failed', async ({ post, proxy }) => {
  proxy.refuse = (target) => (target.startsWith('interno') ? 403 : undefined);
  expect(await post('https://interno.example/')).toMatchObject({ failure: INSIDE });
  const outcome = await post('https://tienda.example:1/');
  expect(outcome).toMatchObject({ failure: 'No se pudo conectar' });
  expect(outcome).not.toHaveProperty('mayBeOurs');
});

test('a proxy that is away, or refuses our login, is no fault of receivers', async ({ post, proxy }) => {
  proxy.refuse = () => 407;
  expect(await post('https://tienda.example/')).toMatchObject(OURS);
  await proxy.close();
  expect(await post('https://tienda.example/')).toMatchObject(OURS);
});

test('a late tunnel leaves the receiver the rest of the time', async ({ onTestFinished }) => {
  const longerThanTheTest = 2 * DEADLINE_MS;
  // Nobody answers behind it, and its time is over as soon as it is open.
  const proxy = net.createServer((socket) =>
    socket.once('data', () => {
      passTime(longerThanTheTest);
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
    }),
  );
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  const connect = proxyConnector({ url: `http://127.0.0.1:${port}` }, publicOrIn([]), longerThanTheTest);
  const client = new WebhookClient(connect, Date.now, { timeoutMs: longerThanTheTest });
  onTestFinished(async () => {
    await client.close();
    proxy.close();
  });
  const { failure } = await client.post({ url: 'https://tienda.example/', secrets: [] }, MESSAGE);
  expect(failure).toBe('No respondio a tiempo');
});

test('the service sends through it, and waits for it', async ({ startWebhooks, newCustomer, proxy }) => {
  const silent = { WEBHOOKS_PROXY_URL: proxy.url, WEBHOOKS_PROXY_LOGIN: 'guias:clave' };
  proxy.refuse = () => 407;
  await startWebhooks(silent);
  const customer = await newCustomer();
  const host = `127.0.0.1:${customer.receiver.port}`;
  await customer.append(1, 2);
  await expect
    .poll(customer.read)
    .toMatchObject({ failures: 1, lastFailure: { reason: 'No se pudo salir a internet' } });
  expect(await customer.read()).not.toHaveProperty('failingSince');
  proxy.refuse = () => undefined;
  await customer.set({ dueAt: new Date() });
  await expect.poll(customer.cursor).toBe(2);
  expect(eventIds(customer.receiver.received)).toEqual(['E1', 'E2']);
  expect(new Set(proxy.asked.map(({ target, login }) => `${login} ${target}`))).toEqual(
    new Set([`guias:clave ${host}`]),
  );
});
