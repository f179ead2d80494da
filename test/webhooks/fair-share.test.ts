import { describe, expect } from 'vitest';
import { taking } from '#test/fixtures/receiver.ts';
import { test } from '#test/fixtures/webhooks.ts';

/** What one account does with its webhooks costs no other one its messages, and is told to whoever is on call. */

const FIVE = Array.from({ length: 5 }, (_, i) => i);

describe('names about which the DNS says nothing', () => {
  test('hold up no other account, tried often', async ({ dns, startSender, newCustomer, store }) => {
    dns.answer = () => 'silence';
    const { client, warnings } = startSender();
    const stuck = await newCustomer('http://mudo-0.example/');
    const { account } = stuck;
    const others = FIVE.slice(1).map((i) =>
      store.add({ account, url: `http://mudo-${i}.example/`, description: '', cursor: 0 }, 'whsec_YQ=='),
    );
    const ids = [stuck.id, ...(await Promise.all(others)).map((webhook) => webhook?.id ?? '')];
    await stuck.append(1, 1);
    await expect.poll(() => dns.asked.size).toBe(5);
    const customer = await newCustomer();
    const waits: number[] = [];
    for (let number = 1; number <= 4; number++) {
      for (const id of ids) await store.activate(account, id);
      const from = performance.now();
      await customer.append(number, number);
      await expect.poll(customer.cursor).toBe(number);
      waits.push(performance.now() - from);
      const url = `http://localhost:${customer.receiver.port}/`;
      expect(
        await client.post({ url, secrets: [] }, { id: 'a', body: '{"data":{"Eventos":[]}}' }),
      ).toMatchObject({ status: 204 });
    }
    // A look-up without an answer takes four seconds, and whoever waited for one would do so each time.
    expect(Math.min(...waits)).toBeLessThan(4_000);
    await expect.poll(() => warnings.length).toBe(5);
    expect(warnings[0]).toEqual({
      account,
      webhook: expect.any(String),
      host: expect.stringMatching(/^mudo-\d\.example$/),
      reason: 'No se pudo consultar el DNS',
    });
    await expect.poll(stuck.read).toMatchObject({ active: true, failures: 1, cursor: 0 });
    expect(await stuck.read()).not.toHaveProperty('failingSince');
  });

  test('are a usual failure if the DNS knows others', async ({ dns, startSender, newCustomer }) => {
    const known = (name: string) => name === 'otro.example';
    dns.answer = (name) => (known(name) ? ['127.0.0.1'] : 'failure');
    const { client } = startSender();
    const { receiver } = await newCustomer();
    const url = `http://otro.example:${receiver.port}/`;
    expect(await client.post({ url, secrets: [] }, { id: 'a', body: '{}' })).toMatchObject({ status: 204 });
    const customer = await newCustomer('http://cliente.example/');
    await customer.append(1, 1);
    const reason = 'El DNS de ese nombre no responde';
    await expect.poll(customer.read).toMatchObject({ failures: 1, lastFailure: { reason } });
    expect(await customer.read()).toHaveProperty('failingSince');
    dns.answer = () => 'failure';
    await customer.set({ dueAt: new Date() });
    await expect
      .poll(customer.read)
      .toMatchObject({ failures: 1, lastFailure: { reason: 'No se pudo consultar el DNS' } });
    dns.answer = (name) => (known(name) ? ['127.0.0.1'] : 'failure');
    await customer.set({ failingSince: new Date(Date.now() - 5 * 86_400_000), dueAt: new Date() });
    await expect
      .poll(customer.read)
      .toMatchObject({ active: false, off: { reason: 'Cinco dias sin exito' } });
  });
});

test('of hanging webhooks an account has ten', async ({ startSender, newCustomer, newReceiver, store }) => {
  startSender();
  const hanging = await newReceiver();
  hanging.answer = () => {};
  const { account, append } = await newCustomer();
  await append(1, 1);
  const customer = await newCustomer();
  for (const round of [1, 2, 3]) {
    for (const { id } of await store.list(account)) await store.remove(account, id);
    for (const _ of FIVE) {
      await store.add({ account, url: hanging.url, description: '', cursor: 0 }, 'whsec_YQ==');
    }
    await customer.append(round, round);
    await expect.poll(customer.cursor).toBe(round); // which was due after them
    await expect.poll(() => hanging.received.length).toBe(Math.min(5 * round, 10));
  }
});

test('a webhook that fails is logged once a reason', async ({ startSender, newCustomer, newReceiver }) => {
  const { warnings } = startSender();
  const receiver = await newReceiver();
  const host = `127.0.0.1:${receiver.port}`;
  const { account, id, append, tryNow, cursor } = await newCustomer(`http://${host}/camino?clave=secreta`);
  const fail = (status: number) => {
    receiver.answer = (response) => void response.writeHead(status).end();
  };
  const logged = (...reasons: string[]) =>
    expect(warnings).toEqual(reasons.map((reason) => ({ webhook: id, account, host, reason })));
  fail(500);
  await append(1, 1);
  await expect.poll(() => warnings.length).toBe(1);
  await tryNow();
  await tryNow();
  logged('Respondio 500');
  fail(502);
  await tryNow();
  logged('Respondio 500', 'Respondio 502');
  receiver.answer = taking;
  await tryNow();
  await expect.poll(cursor).toBe(1);
  fail(502);
  await append(2, 2);
  await expect.poll(() => warnings.length).toBe(3);
  logged('Respondio 500', 'Respondio 502', 'Respondio 502');
});
