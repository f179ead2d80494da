import { randomUUID } from 'node:crypto';
import type { Document } from 'mongodb';
import { expect } from 'vitest';
import { Client, type CreatedGuide, minimalGuide } from '#test/fixtures/client.ts';
import { event, test, wordsOf } from '#test/fixtures/events.ts';
import { manifestOf } from '#test/fixtures/manifests.ts';
import { setClockAhead } from '#test/fixtures/wrong-clock.ts';

const DAY_MS = 24 * 3_600_000;

const HOUR_MS = 3_600_000;

/**
 * What is deleted, billed, refused and over is decided by the database's clock, whatever the api's clock says. All of it is
 * done with one wrong clock, because each login takes its time.
 */
test.for([400, -400])('an api whose clock is %s days ahead', async (days, { api, stores, scanner }) => {
  const find = async (collection: string, filter: object): Promise<Document> =>
    (await stores.mongo.collection(collection).findOne(filter)) ?? {};
  const daysFromNow = (moment: Date) => Math.abs(Math.round((moment.getTime() - Date.now()) / DAY_MS));
  const [fact, forecast] = [Date.now(), Date.now() + HOUR_MS].map((moment) => new Date(moment).toISOString());
  const setRight = setClockAhead(days * DAY_MS);
  const demo = await Client.login(api.url);
  const key = randomUUID();
  const answer = await demo.post(
    '/api/guias/crear',
    { TipoServicio: 'Domicilio', Guia: [minimalGuide()] },
    { 'idempotency-key': key },
  );
  const [guide] = answer.body.data as [CreatedGuide];
  const tester = await Client.login(api.url, 'prueba');
  const [trial] = (await tester.created(minimalGuide())) as [CreatedGuide];
  const made = await demo.post('/api/manifiestos', { Guias: [guide.SEND_GUIA] });
  await demo.post(`/api/guias/${guide.SEND_GUIA}/cancelar`, '');
  const [sent] = (await demo.created(minimalGuide())) as [CreatedGuide];
  const told = [fact, forecast].map((Ocurrido) => event(sent.SEND_GUIA, 'Recolectado', { Ocurrido }));
  // The token of the scanner is of an api whose clock was right.
  const judged = await scanner.post('/api/eventos', { Eventos: told });
  setRight();
  expect(wordsOf(judged)).toEqual(['registrado', 'campo_formato']);
  expect((await demo.get('/api/auth/validate')).status).toBe(200);

  const stored = await find('guides', { _id: guide.SEND_GUIA });
  expect(daysFromNow(stored.createdUtc)).toBe(0);
  expect(daysFromNow(new Date(`${guide.SEND_FECHA}Z`))).toBe(0); // it says the month of the bill
  expect(daysFromNow((await find('guides', { _id: trial.SEND_GUIA })).expiresAt)).toBe(30);
  const remembered = { numbers: [guide.SEND_GUIA] };
  await expect.poll(() => find('creations', remembered)).toMatchObject(remembered);
  expect(daysFromNow((await find('creations', remembered)).expiresAt)).toBe(7);
  const { Manifiesto } = manifestOf(made);
  expect(daysFromNow((await find('manifests', { _id: Manifiesto })).createdUtc)).toBe(0);
  const cancelled = { action: 'guide.cancel', 'details.guide': guide.SEND_GUIA };
  await expect.poll(() => find('audit', cancelled)).toHaveProperty('at');
  expect(daysFromNow((await find('audit', cancelled)).at)).toBe(0);
  const cancellation = { 'told.Guia': guide.SEND_GUIA, 'told.Tipo': 'Cancelacion' };
  expect(daysFromNow(new Date((await find('events', cancellation)).told.Ocurrido))).toBe(0);
  const counts = await stores.redis.keys(`${stores.prefix}:guides-account:*`);
  const dates = new Set(counts.map((name) => /\d{4}-\d\d-\d\d/.exec(name)?.[0] ?? name));
  expect([...dates].map((date) => daysFromNow(new Date(date)))).toEqual(
    [...dates].map(() => expect.toBeOneOf([0, 1])),
  );
});
