import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { describe, expect } from 'vitest';
import { directConnector } from '#services/webhooks/public-addresses.ts';
import { WebhookClient } from '#services/webhooks/webhook-client.ts';
import { isPublicAddress, publicOrIn } from '#shared/webhooks/public-address.ts';
import { eventIds, startReceiver } from '#test/fixtures/receiver.ts';
import { test as webhooksTest } from '#test/fixtures/webhooks.ts';

/** Receivers that want to harm: they cost the others nothing, and reach nothing inside. */

const MESSAGE = { id: 'msg_1', body: '{}' };
const secrets = ['whsec_c2VjcmV0'];
const anywhere = () => true;

const test = webhooksTest
  .extend('receiver', async ({}, { onCleanup }) => {
    const receiver = await startReceiver();
    onCleanup(() => receiver.close());
    return receiver;
  })
  /** Posts as the service does. */
  .extend('postWith', async ({}, { onCleanup }) => {
    const clients: WebhookClient[] = [];
    onCleanup(async () => {
      for (const client of clients) await client.close();
    });
    return (connect: ReturnType<typeof directConnector>, url: string, options = {}) => {
      const client = new WebhookClient(connect, Date.now, options);
      clients.push(client);
      return client.post({ url, secrets }, MESSAGE);
    };
  })
  /** Posts to a receiver on this machine. */
  .extend(
    'post',
    ({ postWith }) =>
      (url: string) =>
        postWith(directConnector(anywhere), url),
  )
  /** The same as a process posts that may reach the internet alone. */
  .extend('postOutside', ({ dns, postWith }) => {
    const connector = directConnector(isPublicAddress, [dns.address]);
    return (url: string) => postWith(connector, url);
  });

const INSIDE = 'El nombre no lleva a una direccion publica';

describe('an address that is not on the internet gets no connection:', () => {
  test.for([
    ['this machine', '127.0.0.1'],
    ['this machine in one number', '2130706433'],
    ['private, 10/8', '10.1.2.3'],
    ['CGNAT', '100.64.0.1'],
    ['link-local, the metadata of most clouds', '169.254.169.254'],
    ['the metadata of Oracle', '192.0.0.192'],
    ['the agent of Azure', '168.63.129.16'],
    ['multicast', '224.0.0.1'],
    ['this machine in IPv6', '[::1]'],
    ['an IPv4 address in IPv6', '[::ffff:127.0.0.1]'],
    ['NAT64', '[64:ff9b::7f00:1]'],
    ['6to4', '[2002:7f00:1::]'],
    ['Teredo', '[2001:0:7f00:1::]'],
    ['unique local, the metadata of Amazon', '[fd00:ec2::254]'],
  ])('%s', async ([, host], { postOutside }) => {
    for (const protocol of ['http', 'https']) {
      expect(await postOutside(`${protocol}://${host}/`)).toMatchObject({ failure: INSIDE });
    }
  });

  test.for([[['127.0.0.1']], [['3000::1', '127.0.0.1']], [['3000::1', '::1']]])(
    'what a name leads to, also one of several: %j',
    async ([addresses = []], { dns, receiver, postOutside }) => {
      dns.answer = () => addresses;
      const url = `http://cliente.example:${receiver.port}/`;
      expect(await postOutside(url)).toMatchObject({ failure: INSIDE });
      expect(dns.asked).toEqual(new Set(['cliente.example']));
      expect(receiver.received).toEqual([]);
    },
  );

  test('an address outside of the networks that are allowed', async ({ dns, receiver, postWith }) => {
    const isAllowed = publicOrIn(['10.20.0.0/16', '127.0.0.0/30', 'fd12::/64']);
    const connector = directConnector(isAllowed, [dns.address]);
    for (const [address, isIn] of [
      ['127.0.0.1', true],
      ['127.0.0.5', false],
      ['10.20.255.1', true],
      ['10.21.0.1', false],
      ['fd12::9', true],
      ['fd12:0:0:1::9', false],
      ['::ffff:10.20.0.1', true],
      ['64:ff9b::a14:1', false],
      ['::1', false],
      ['8.8.8.8', true],
    ] as const)
      expect([address, isAllowed(address)]).toEqual([address, isIn]);
    dns.answer = (name) => (name === 'dentro.example' ? ['127.0.0.1'] : ['127.0.0.1', '127.0.0.5']);
    const { port } = receiver;
    expect(await postWith(connector, `http://dentro.example:${port}/`)).toMatchObject({ status: 204 });
    expect(await postWith(connector, `http://127.0.0.1:${port}/`)).toMatchObject({ status: 204 });
    expect(await postWith(connector, `http://fuera.example:${port}/`)).toMatchObject({ failure: INSIDE });
    expect(receiver.received).toHaveLength(2);
  });

  test('a name of this machine', async ({ receiver, postOutside }) => {
    expect(await postOutside(`http://localhost:${receiver.port}/`)).toMatchObject({ failure: INSIDE });
    expect(receiver.received).toEqual([]);
  });

  test('a name that leads elsewhere after it was checked', async ({ dns, receiver, postOutside }) => {
    // Whoever looked the name up twice would connect to the later answer. Nobody has the first one: it is not assigned.
    const answers = [['3000::1'], ['3000::1']].values(); // to the questions for either kind of address
    dns.answer = () => answers.next().value ?? ['127.0.0.1'];
    const url = `http://cliente.example:${receiver.port}/`;
    const outcome = await postOutside(url);
    expect(outcome.failure).toBeTypeOf('string');
    expect(outcome.failure).not.toBe(INSIDE);
    expect(receiver.received).toEqual([]);
  });
});

describe('a name', () => {
  test('that is not in the DNS has the same reason as one that is inside', async ({ dns, postOutside }) => {
    expect(await postOutside('https://no-existe.example/')).toMatchObject({ failure: INSIDE });
    dns.answer = () => [];
    expect(await postOutside('https://sin-direccion.example/')).toMatchObject({ failure: INSIDE });
  });

  test("about which the DNS is silent is not its owner's fault", async ({ dns, postWith }) => {
    for (const answer of ['failure', 'silence'] as const) {
      const connector = directConnector(isPublicAddress, [dns.address]);
      dns.answer = () => ['10.0.0.1'];
      expect(await postWith(connector, 'https://otro.example/')).toMatchObject({ failure: INSIDE });
      dns.answer = () => answer;
      const outcome = await postWith(connector, 'https://cliente.example/');
      expect(outcome).toEqual({
        failure: 'No se pudo consultar el DNS',
        mayBeOurs: true,
        ms: expect.any(Number),
      });
      expect(outcome.ms).toBeLessThan(9_000); // at which the connection would be given up
    }
  });

  test('leads to its addresses, and localhost to this machine', async ({ dns, receiver, postWith }) => {
    dns.answer = () => ['127.0.0.1'];
    for (const name of ['cliente.example', 'localhost', 'a.localhost']) {
      const url = `http://${name}:${receiver.port}/`;
      expect(await postWith(directConnector(anywhere, [dns.address]), url)).toMatchObject({ status: 204 });
    }
    expect(dns.asked).toEqual(new Set(['cliente.example']));
  });
});

test.for([202, 410])(
  'the status %i decides, though the receiver keeps its answer open',
  async (status, { receiver, postWith }) => {
    receiver.answer = (response) => {
      response.writeHead(status, { 'content-length': '10' });
      response.flushHeaders();
    };
    const from = performance.now();
    const outcome = await postWith(directConnector(anywhere), receiver.url);
    expect(outcome).toMatchObject(status < 300 ? { status } : { status, failure: `Respondio ${status}` });
    expect(outcome).not.toHaveProperty(status < 300 ? 'failure' : 'mayBeOurs');
    expect(performance.now() - from).toBeLessThan(14_000); // well before its time limit
  },
);

describe('a receiver', () => {
  test('that redirects is not followed', async ({ receiver, post, newReceiver }) => {
    const inside = await newReceiver();
    receiver.answer = (response) => void response.writeHead(307, { location: inside.url }).end();
    expect(await post(receiver.url)).toMatchObject({ status: 307, failure: 'Redirige (307), y no se sigue' });
    expect(inside.received).toEqual([]);
  });

  test('that never answers is left after the time limit', async ({ receiver, postWith }) => {
    receiver.answer = () => {};
    const outcome = await postWith(directConnector(anywhere), receiver.url, { timeoutMs: 1_000 });
    expect(outcome).toMatchObject({ failure: 'No respondio a tiempo' });
  });

  test('that takes no connection, or breaks it, or speaks no HTTP, has failed', async ({ post }) => {
    const server = createServer((socket) => void socket.end('SSH-2.0-OpenSSH\r\n', () => socket.destroy()));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject({ failure: 'No se pudo conectar' });
    server.close();
    await once(server, 'close');
    expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject({ failure: 'No se pudo conectar' });
  });

  test('that sends an endless body has taken the message', async ({ receiver, post }) => {
    const sent = Promise.withResolvers<number>();
    receiver.answer = (response) => sendEndlessly(response, sent.resolve);
    expect(await post(receiver.url)).toMatchObject({ status: 200 });
    expect(await sent.promise).toBeLessThan(12_000_000); // the largest buffers of both ends, on Linux 4 and 6 MiB
  });

  test('that sends endless headers has failed', async ({ receiver, post }) => {
    receiver.answer = (response) => {
      response.socket?.write(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(1_000_000)}`);
    };
    expect(await post(receiver.url)).toMatchObject({ failure: 'No se pudo conectar' });
  });

  test('that answers with words has none of them told', async ({ receiver, post }) => {
    receiver.answer = (response) =>
      void response
        .writeHead(400, 'the secret is x', { 'x-inside': 'the secret is x' })
        .end('the secret is x');
    const outcome = await post(receiver.url);
    expect(outcome).toMatchObject({ status: 400, failure: 'Respondio 400' });
    expect(JSON.stringify(outcome)).not.toContain('secret');
  });

  test.for([
    ['120', 120],
    ['in ten minutes', 600],
    ['-5', 0],
    ['soon', undefined],
  ] as const)('that asks to wait with %j is heard', async ([header, seconds], { receiver, post }) => {
    const inTenMinutes = new Date(Date.now() + 600_000).toUTCString();
    const asked = header === 'in ten minutes' ? inTenMinutes : header;
    receiver.answer = (response) => void response.writeHead(503, { 'retry-after': asked }).end();
    const { retryAfterS } = await post(receiver.url);
    expect(retryAfterS === undefined ? retryAfterS : Math.ceil(retryAfterS / 120) * 120).toBe(seconds);
  });
});

test('fifty hostile receivers delay no other one', async ({ webhooks, newCustomer }) => {
  expect(webhooks.url).toBeTruthy();
  const hostile = await Promise.all(Array.from({ length: 50 }, () => newCustomer()));
  for (const [i, { receiver }] of hostile.entries()) {
    const ways = [() => {}, sendEndlessly, (response: ServerResponse) => void response.writeHead(400).end()];
    receiver.answer = ways[i % ways.length] ?? (() => {});
  }
  await Promise.all(hostile.map(({ append }) => append(1, 1)));
  await expect.poll(() => hostile.every(({ receiver }) => receiver.received.length > 0)).toBe(true);
  const customer = await newCustomer();
  const from = performance.now();
  await customer.append(1, 300);
  await expect.poll(customer.cursor).toBe(300);
  expect(performance.now() - from).toBeLessThan(14_000); // before the first that hangs is given up
  expect(eventIds(customer.receiver.received)).toHaveLength(300);
});

/** Sends until the connection ends, and tells how many bytes were sent. */
function sendEndlessly(response: ServerResponse, ended: unknown = () => {}): void {
  let sent = 0;
  response.writeHead(200);
  const piece = Buffer.alloc(65_536, 'a');
  const send = () => {
    while (!response.destroyed) {
      sent += piece.length;
      if (!response.write(piece)) return;
    }
  };
  response.on('drain', send);
  response.on('close', () => typeof ended === 'function' && ended(sent));
  send();
}
