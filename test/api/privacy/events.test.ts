import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { expect } from 'vitest';
import { run } from '#services/api/cli.ts';
import { Retention } from '#services/api/privacy/retention.ts';
import { personalEvents } from '#services/api/tracking/personal-data.ts';
import { DatabaseClock } from '#shared/stores/database-clock.ts';
import { type LogEntry, PERSONAL_FIELDS, RECEIVER_FIELDS } from '#shared/tracking/event-model.ts';
import { event, test as eventTest, wordsOf } from '#test/fixtures/events.ts';
import { runCommand } from '#test/fixtures/operators/command.ts';

const ANONYMOUS = '[anonimizado]';

const test = eventTest
  .extend('entries', { scope: 'file' }, ({ stores }) => stores.mongo.collection<LogEntry>('events'))
  /** Who received a guide, and the note about it. */
  .extend('personal', { scope: 'file' }, ({ entries }) => async (guide: string) => {
    const found = await entries.find({ 'told.Guia': guide }).sort({ _id: 1 }).toArray();
    return found.map(({ told, personal }) => [told.Recibe, told.Nota, personal !== undefined]);
  })
  .extend('privacy', { scope: 'file' }, ({ stores }) => (...args: string[]) => {
    return runCommand(run, ['privacy', ...args], { env: { MONGODB_URI: stores.mongoUri } });
  });

const delivered = (guide: string, Recibe?: string, Nota?: string) =>
  event(guide, 'Entregado', { Id: randomUUID(), ...(Recibe && { Recibe }), ...(Nota && { Nota }) });

test('retention removes who received, and notes', async ({ newGuide, personal, register, stores }) => {
  const [old, young] = [await newGuide(), await newGuide()];
  const createdUtc = new Date(Date.now() - 91 * 24 * 3_600_000);
  await stores.mongo.collection<{ _id: string }>('guides').updateOne({ _id: old }, { $set: { createdUtc } });
  for (const guide of [old, young]) {
    await register(delivered(guide, 'Rosa'), delivered(guide, undefined, 'La vecina'), delivered(guide));
  }
  const retention = new Retention({
    mongo: stores.mongo,
    texts: { besideGuides: [personalEvents], ofAccounts: [] },
    clock: new DatabaseClock(stores.mongo),
    redis: stores.redis,
    prefix: `${stores.prefix}:events`,
    days: 90,
    log: pino({ level: 'silent' }),
    metrics: new Registry(),
    stepSize: 1,
  });
  await retention.runIfDue();
  expect(await personal(old)).toEqual([
    [ANONYMOUS, undefined, false],
    [undefined, ANONYMOUS, false],
    [undefined, undefined, false],
  ]);
  expect(await personal(young)).toEqual([
    ['Rosa', undefined, true],
    [undefined, 'La vecina', true],
    [undefined, undefined, false],
  ]);
});

test('an erasure reaches who received, and notes', async ({ newGuide, personal, privacy, register }) => {
  const name = `Íñigo ${randomUUID()}`.slice(0, 40);
  const [own, neighbours, other] = [
    await newGuide({ Remitente: { Nombre: name } }),
    await newGuide(),
    await newGuide(),
  ];
  const told = delivered(neighbours, name.toUpperCase(), 'En la puerta');
  await register(delivered(own, 'Otra persona', 'Pide que se le llame'), told, delivered(neighbours, 'Rosa'));
  await register(delivered(other, 'Rosa', 'Nada'), delivered(own, undefined, 'La vecina'));
  expect(await privacy('erase', '--name', name.normalize('NFD'), '--yes')).toMatchObject({ code: 0 });
  expect(await personal(own)).toEqual([
    [ANONYMOUS, ANONYMOUS, false],
    [undefined, ANONYMOUS, false],
  ]);
  expect(await personal(neighbours)).toEqual([
    [ANONYMOUS, ANONYMOUS, false],
    ['Rosa', undefined, true],
  ]);
  expect(await personal(other)).toEqual([['Rosa', 'Nada', true]]);
  // The scanner, which does not know, tells it again.
  expect(wordsOf(await register(told, { ...told, Sucursal: 'MTY01' }))).toEqual([
    'repetido',
    'evento_conflicto',
  ]);
});

test('who made a guide is none of its sides: receipts and notes stay, and are not exported', async ({
  newGuide,
  personal,
  privacy,
  register,
}) => {
  const name = `Marta ${randomUUID()}`.slice(0, 40);
  const guide = await newGuide({ Creado_por: { Nombre: name } });
  await register(delivered(guide, 'Rosa', 'En la puerta'));
  const { guias } = JSON.parse((await privacy('export', '--name', name)).out);
  expect(guias).toMatchObject([{ guia: guide, papel: 'autor' }]);
  expect(guias[0]).not.toHaveProperty('eventos');
  expect(await privacy('erase', '--name', name, '--yes')).toMatchObject({ code: 0 });
  expect(await personal(guide)).toEqual([['Rosa', 'En la puerta', true]]);
});

test("an export has what the person received, nobody else's", async ({ newGuide, privacy, register }) => {
  const name = `Rosa ${randomUUID()}`.slice(0, 40);
  const [own, neighbours] = [await newGuide({ Remitente: { Nombre: name } }), await newGuide()];
  await register(delivered(own, 'Otra persona', 'Llamar antes'), delivered(neighbours, name));
  const { out } = await privacy('export', '--name', name);
  const { guias } = JSON.parse(out);
  const common = { Ocurrido: expect.any(String), Tipo: 'Entregado' };
  expect(guias).toHaveLength(2);
  expect(guias).toContainEqual(
    expect.objectContaining({
      guia: own,
      papel: 'remitente',
      eventos: [{ ...common, Nota: 'Llamar antes' }],
    }),
  );
  expect(guias).toContainEqual(
    expect.objectContaining({
      guia: neighbours,
      papel: 'receptor',
      datos: { Nombre: name },
      eventos: [{ ...common, Recibe: name }],
    }),
  );
  expect(out).not.toContain('Otra persona');
});

test.for(RECEIVER_FIELDS)(
  'an export by the name in %s has every text, but no other who received',
  async (receiver, { entries, newGuide, privacy, register }) => {
    const name = `Eva ${randomUUID()}`.slice(0, 40);
    const guide = await newGuide();
    await register(delivered(guide, name, 'x'));
    const personal = {
      ...Object.fromEntries(PERSONAL_FIELDS.map((field) => [field, `de ${field}`])),
      [receiver]: name,
    };
    const set = Object.entries(personal).map(([field, text]) => [`told.${field}`, text]);
    await entries.updateOne({ 'told.Guia': guide }, { $set: Object.fromEntries(set) });
    const { out } = await privacy('export', '--name', name);
    const shown = Object.entries(personal).filter(
      ([field]) => field === receiver || !RECEIVER_FIELDS.includes(field as 'Recibe'),
    );
    const eventos = [{ Ocurrido: expect.any(String), Tipo: 'Entregado', ...Object.fromEntries(shown) }];
    expect(JSON.parse(out).guias).toMatchObject([{ papel: 'receptor', datos: { Nombre: name } }]);
    expect(JSON.parse(out).guias[0].eventos).toEqual(eventos);
  },
);
