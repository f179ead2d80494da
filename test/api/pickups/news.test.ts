import { expect, vi } from 'vitest';
import { pickupNumbers } from '#services/api/pickups/pickup-number.ts';
import { PICKUPS, type Pickup } from '#shared/pickups/pickup-model.ts';
import { driverOf, modelOf } from '#shared/stores/collection.ts';
import type { Webhook } from '#shared/webhooks/webhook-model.ts';
import { event } from '#test/fixtures/events.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
import { type Receiver, taking } from '#test/fixtures/receiver.ts';
import { listedIn, ownWebhook } from '#test/fixtures/topics.ts';
import { test as asking, pickupOf } from './asking.ts';

/** Each change of a pick-up goes to the webhooks that ask for the topic, and to no other. */

vi.setConfig({ testTimeout: 180_000 });

const test = asking
  .extend('running', { scope: 'file', auto: true }, ({ webhooks }) => webhooks)
  /** A webhook of `demo` with these topics, and what it receives. */
  .extend('webhook', ({ demo }) => (Temas?: readonly string[], more?: object) => {
    return ownWebhook(demo, Temas, more);
  })
  /** How often the current message of the topic has failed. */
  .extend('failures', ({ stores }) => async (id: string) => {
    const webhooks = stores.mongo.collection<Webhook>('webhooks');
    return (await webhooks.findOne({ id }))?.newsTries?.recolecciones?.failures;
  });
const typesOf = ({ received }: Receiver) => received.map(({ body }) => JSON.parse(body).type as string);
const of = (receiver: Receiver, number: string) =>
  listedIn<{ Recoleccion: string; Estado: string; Version: number }>(receiver, 'Recolecciones')
    .filter(({ Recoleccion }) => Recoleccion === number)
    .map(({ Version, Estado }) => `${Version} ${Estado}`);
/** What came of a pick-up, each change once: on a slow machine the sweep may tell one again. */
const changesOf = (receiver: Receiver, number: string) => [...new Set(of(receiver, number))];

test('each change comes in its order, without names, to webhooks that ask for it', async ({
  ask,
  demo,
  tell,
  webhook,
}) => {
  const asks = await webhook(['recolecciones']);
  expect(asks.made).toMatchObject({ Temas: ['recolecciones'], Tipos: [] });
  const usual = await webhook();
  expect(usual.made).toMatchObject({ Temas: ['eventos'] });
  const { Recoleccion } = pickupOf(await ask({ Notas: 'Preguntar por Marta' }));
  await tell({ Recoleccion, Estado: 'Programada' });
  await tell({ Recoleccion, Estado: 'Fallida', Motivo: 'cerrado' });
  await expect
    .poll(() => changesOf(asks.receiver, Recoleccion))
    .toEqual(['1 Solicitada', '2 Programada', '3 Fallida']);
  const bodies = asks.receiver.received.map(({ body }) => body).join();
  expect(bodies).not.toMatch(/Ana López|Marta|5512345678/);
  expect(usual.receiver.received).toEqual([]);
  const { body } = await demo.get(`/api/webhooks/${asks.id}`);
  expect(body.data).toMatchObject({ Temas: ['recolecciones'], Activo: true });
});

test('events and pick-ups both come to a webhook that asks for both, and events alone do not', async ({
  ask,
  guides,
  register,
  webhook,
}) => {
  const both = await webhook(['eventos', 'recolecciones'], { Tipos: ['Recolectado'] });
  const pickupsAlone = await webhook(['recolecciones']);
  const [guide = ''] = await guides(1);
  const { Recoleccion } = pickupOf(await ask({ Guias: [guide] }));
  await register(event(guide, 'Recolectado'));
  const ended = ['1 Solicitada', '2 Recolectada'];
  await expect.poll(() => changesOf(both.receiver, Recoleccion)).toEqual(ended);
  await expect.poll(() => changesOf(pickupsAlone.receiver, Recoleccion)).toEqual(ended);
  await expect.poll(() => typesOf(both.receiver)).toContain('guias.eventos');
  expect(typesOf(pickupsAlone.receiver)).not.toContain('guias.eventos');
});

test('a message that is not taken is the same at each try, and can be skipped', async ({
  ask,
  demo,
  failures,
  stores,
  webhook,
}) => {
  const { receiver, id } = await webhook(['recolecciones']);
  receiver.answer = (response) => void response.writeHead(500).end();
  const { Recoleccion } = pickupOf(await ask());
  const { Recoleccion: second } = pickupOf(await ask());
  await expect.poll(() => failures(id)).toBe(1);
  const now = { dueAt: new Date(), 'newsTries.recolecciones.dueAt': new Date() };
  await stores.mongo.collection('webhooks').updateOne({ id }, { $set: now });
  await expect.poll(() => failures(id)).toBe(2);
  expect(receiver.received).toHaveLength(2);
  const [one, two] = receiver.received;
  expect([two?.body, two?.headers['webhook-id']]).toEqual([one?.body, one?.headers['webhook-id']]);
  receiver.answer = taking;
  const { body } = await demo.post(`/api/webhooks/${id}/activar`, { saltar: true });
  expect(body.message).toBe('Webhook activado; mensaje saltado: recolecciones');
  expect(body.data).toMatchObject({
    Saltados: [],
    MensajeSaltado: JSON.parse(one?.body ?? ''),
    Activo: true,
  });
  await expect.poll(() => changesOf(receiver, second)).toEqual(['1 Solicitada']);
  expect(of(receiver, Recoleccion)).toEqual(Array(2).fill('1 Solicitada'));
});

test('what a process that died has not told, another one tells', async ({ demo, stores, webhook }) => {
  const { receiver } = await webhook(['recolecciones']);
  const at = new Date();
  const _id = pickupNumbers.generate();
  const pickup: Pickup = {
    _id,
    ...{ creation: 'x', username: 'demo', account: 'demo', createdUtc: at, createdAt: '2026-11-30T10:00:00' },
    branch: { code: 'MEX01', name: 'México' },
    window: {
      ...{ date: '2026-12-01', from: '09:00', to: '13:00', zone: 'America/Mexico_City' },
      ...{ closesAt: at, startsAt: at, endsAt: at },
    },
    automatic: false,
    address: { Nombre: 'Ana', Celular: '8112345678', CodigoPostal: '06600', Calle: 'Reforma' },
    packages: 1,
    status: 'Programada',
    history: [
      { status: 'Solicitada', occurred: at, at },
      { status: 'Programada', occurred: at, at },
    ],
    ...{ version: 2, told: 1, openSince: at },
  };
  await driverOf(modelOf(stores.mongo, PICKUPS)).insertOne(pickup);
  expect(demo).toBeDefined(); // the api sweeps
  passTime(10_000);
  await expect.poll(() => of(receiver, _id), { timeout: 60_000 }).toEqual(['2 Programada']);
});

test('topics can be changed, and types go with events alone', async ({ demo, webhook }) => {
  const { id } = await webhook();
  const change = async (body: object) => {
    const { status, body: answer } = await demo.patch(`/api/webhooks/${id}`, body);
    const { Temas, Tipos } = (answer.data ?? {}) as { Temas?: string[]; Tipos?: string[] };
    return status === 200 ? [Temas, Tipos] : [status, answer.details?.[0]?.campo];
  };
  expect(await change({ Temas: ['recolecciones', 'eventos'] })).toEqual([['eventos', 'recolecciones'], []]);
  expect(await change({ Tipos: ['Entregado'] })).toEqual([['eventos', 'recolecciones'], ['Entregado']]);
  expect(await change({ Temas: ['recolecciones'] })).toEqual([['recolecciones'], []]);
  expect(await change({ Tipos: ['Entregado'] })).toEqual([400, 'Tipos']);
  expect(await change({ Temas: ['recolecciones'], Tipos: ['Entregado'] })).toEqual([400, 'Tipos']);
  expect(await change({ Temas: ['otras'] })).toEqual([400, 'Temas']);
  expect(await change({ Temas: 7 })).toEqual([400, 'Temas']);
  expect(await change({ Descripcion: 'x' })).toEqual([['recolecciones'], []]);
  expect(await change({ Temas: [] })).toEqual([['eventos'], []]);
});
