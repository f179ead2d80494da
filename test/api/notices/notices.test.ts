import { expect } from 'vitest';
import { anonymiseSection } from '#services/api/guides/anonymise-guides.ts';
import { NOTICES } from '#shared/notices/notice-model.ts';
import { modelOf } from '#shared/stores/collection.ts';
import { Client, fullGuide, minimalGuide } from '#test/fixtures/client.ts';
import { event } from '#test/fixtures/events.ts';
import { bodyOf, headerOf, test as notices, utf8 } from './fixture.ts';

/** From an event to the mail that its recipient gets, by a real mail server. */

const HOUR_MS = 3_600_000;
const { Destinatario } = fullGuide();

const test = notices
  .extend('chosen', { scope: 'file', auto: true }, async ({ choose }) => {
    const { status, body } = await choose({ Activo: true });
    expect([status, body.data]).toEqual([
      200,
      expect.objectContaining({ Disponible: true, Activo: true, PuestoPor: 'demo' }),
    ]);
  })
  /** Has the waiting notice of a guide sent now. */
  .extend('makeDue', { scope: 'file' }, ({ stores }) => async (guide: string) => {
    const waiting = { guide, dueAt: { $exists: true } };
    await modelOf(stores.mongo, NOTICES).updateOne(waiting, { $set: { dueAt: new Date() } });
  })
  /** Sends a mail to somebody else, after which all that was due before was sent. */
  .extend('sendAnother', { scope: 'file' }, ({ newParcel, register, mailTo }) => async () => {
    const { number, Email } = await newParcel();
    await register(event(number, 'Entregado'));
    return mailTo(Email);
  });

test('a recipient is told of each state once, over TLS, by names that reach no header as they are', async ({
  mailServer,
  mailTo,
  newParcel,
  noticesOf,
  register,
}) => {
  const shop = '=?utf-8?q?Ó?= "S.A." <x@y.mx> z.mx\u202E55 1234 5678';
  const { number, Email } = await newParcel({}, { Nombre: shop });
  const collected = event(number, 'Recolectado', { Id: 'uno' });
  await register(collected);
  const mail = await mailTo(Email);
  expect(mail).toMatchObject({
    ...{ from: 'avisos@guias.example', to: [Email], secure: true, user: 'guias@tienda.example' },
  });
  const read = (name: string) => utf8(headerOf(mail, name));
  // It is cut, and no part of it is a link or a phone number.
  const spelled = '=?utf-8?q?Ó?= "S.\u2060A.\u2060" <x@\u2060y.\u2060mx> z.\u2060mx 5\u20605 1\u20602…';
  expect(read('Subject')).toBe(`Su paquete de ${spelled}: recolectado`);
  expect(read('From')).toBe('Paquetería, "El Águila" <avisos@guias.example>');
  expect([read('To'), read('Auto-Submitted')]).toEqual([Email, 'auto-generated']);
  expect(read('Message-ID')).toMatch(/^<[\w-]{43}@guias\.example>$/);
  expect(read('List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
  const link = /^<(https:\/\/guias\.example\/avisos\/[\w-]{65})>$/.exec(read('List-Unsubscribe'))?.[1];
  const body = bodyOf(mail);
  for (const said of [
    ...['Ya tenemos el paquete.', `https://guias.example/rastreo/${number}`, `${link}\r\n`],
    ...['https://guias.example/privacidad', 'Llame al 5512345678', `href="${link}"`],
    ...[`de ${spelled}\r\n`, '&lt;x@\u2060y.\u2060mx&gt;'],
  ])
    expect(body).toContain(said);
  const { Nombre, Calle, Colonia, Telefono, RFC } = Destinatario;
  for (const hidden of [Nombre, Calle, Colonia, Telefono, RFC, 'Tonalá', '{{'])
    expect(body).not.toContain(hidden);

  await register(collected, event(number, 'EnTransito'), event(number, 'EnReparto'));
  const second = () => mailServer.mails.filter(({ to }) => to.includes(Email));
  await expect.poll(second).toHaveLength(2);
  await expect.poll(() => noticesOf(number)).toEqual(['Recolectado enviado', 'EnReparto enviado']);
  await register(event(number, 'Incidencia', { Motivo: 'destinatario_ausente' }));
  await expect.poll(second).toHaveLength(3);
  const ids = second().map((own) => headerOf(own, 'Message-ID'));
  expect(new Set(ids).size).toBe(3);
  expect(bodyOf(second()[2] as never)).toContain('En la página de rastreo está lo que pasó.');
});

test('nobody is told of what is old, in passing, of one package, not chosen, or of a test', async ({
  api,
  choose,
  mailServer,
  newParcel,
  noticesOf,
  register,
  sendAnother,
}) => {
  await choose({ Activo: true, Estatus: ['Recolectado', 'EnSucursal', 'Entregado'] });
  const [old, passing, several, other, fixed] = [
    await newParcel(),
    await newParcel(),
    await newParcel({ Producto: { Contenido: 'Libros', Paquetes: 2 } }),
    await newParcel(),
    await newParcel(),
  ];
  const prueba = await Client.login(api.url, 'prueba');
  const [test] = await prueba.created({
    ...minimalGuide(),
    Destinatario: { ...Destinatario, Email: 'prueba@correo.example' },
  });
  const number = test?.SEND_GUIA ?? '';
  await prueba.post('/api/avisos', { Activo: true }, {}, 'PUT');
  await prueba.post(`/api/guias/${number}/simular`, { Escenario: 'entrega' });
  const before = new Date(Date.now() - 7 * HOUR_MS).toISOString();
  await register(
    event(old.number, 'Recolectado', { Ocurrido: before }),
    event(passing.number, 'EnSucursal', { Sucursal: 'MTY01' }),
    event(several.number, 'Entregado', { Paquete: 1 }),
    event(other.number, 'EnReparto'),
    event(fixed.number, 'Entregado', { Id: 'falso' }),
    event(fixed.number, 'Anulacion', { Anula: 'falso' }),
  );
  await sendAnother();
  await expect.poll(() => noticesOfTest(prueba, number)).toContain('Entregado prueba');
  const told = mailServer.mails.flatMap(({ to }) => to);
  for (const { Email } of [old, passing, several, other, fixed, { Email: 'prueba@correo.example' }])
    expect(told).not.toContain(Email);
  expect(await noticesOf(old.number)).toEqual([]);
  await choose({ Activo: false });
  const late = await newParcel();
  await register(event(late.number, 'Entregado'));
  await choose({ Activo: true });
  await sendAnother();
  expect(await noticesOf(late.number)).toEqual([]);
});

async function noticesOfTest(client: Client, number: string) {
  const { body } = await client.get(`/api/guias/${number}/avisos`);
  return (body.data as { Estatus: string; Resultado: string }[]).map(
    ({ Estatus, Resultado }) => `${Estatus} ${Resultado}`,
  );
}

test('a mail that the server refuses for now is sent later, and one that it refuses for good never', async ({
  mailServer,
  mailTo,
  makeDue,
  newParcel,
  noticesOf,
  register,
  sendAnother,
}) => {
  const [later, never] = [await newParcel(), await newParcel()];
  mailServer.answers.push({ at: 'RCPT TO', code: 451 });
  await register(event(later.number, 'EnReparto'));
  await expect.poll(() => mailServer.answers).toEqual([]);
  await expect.poll(() => noticesOf(later.number)).toEqual(['EnReparto pendiente']);
  mailServer.answers.push({ at: 'DATA', code: 452 });
  await makeDue(later.number);
  await expect.poll(() => mailServer.answers).toEqual([]);
  await expect.poll(() => noticesOf(later.number)).toEqual(['EnReparto pendiente']);
  const refused = await mailTo(later.Email);
  await makeDue(later.number);
  await expect.poll(() => noticesOf(later.number)).toEqual(['EnReparto enviado']);
  const all = mailServer.mails.filter(({ to }) => to.includes(later.Email));
  expect(all.map((mail) => headerOf(mail, 'Message-ID'))).toEqual(
    Array(2).fill(headerOf(refused, 'Message-ID')),
  );

  mailServer.answers.push({ at: 'RCPT TO', code: 550 });
  await register(event(never.number, 'EnReparto'));
  await expect.poll(() => noticesOf(never.number)).toEqual(['EnReparto rechazado']);
  await sendAnother();
  expect(mailServer.mails.flatMap(({ to }) => to)).not.toContain(never.Email);
});

test('a mail whose answer is lost may have been accepted, and is not sent again', async ({
  mailServer,
  mailTo,
  newParcel,
  noticesOf,
  register,
  sendAnother,
}) => {
  const { number, Email } = await newParcel();
  mailServer.answers.push({ at: 'DATA', code: 'none' });
  await register(event(number, 'EnReparto'));
  await mailTo(Email);
  await sendAnother();
  expect(mailServer.mails.filter(({ to }) => to.includes(Email))).toHaveLength(1);
  expect(await noticesOf(number)).toEqual(['EnReparto sin_respuesta']);
});

test('what waits is not sent once its recipient was erased, or the parcel stands otherwise', async ({
  mailServer,
  makeDue,
  newParcel,
  noticesOf,
  register,
  stores,
}) => {
  const [erased, moved] = [await newParcel(), await newParcel()];
  for (const { number } of [erased, moved]) {
    mailServer.answers.push({ at: 'RCPT TO', code: 451 });
    await register(event(number, 'EnReparto'));
    await expect.poll(() => mailServer.answers).toEqual([]);
    await expect.poll(() => noticesOf(number)).toEqual(['EnReparto pendiente']);
  }
  await anonymiseSection(stores.mongo, [erased.number], 'Destinatario');
  await register(event(moved.number, 'EnTransito'));
  for (const { number } of [erased, moved]) await makeDue(number);
  await expect.poll(() => noticesOf(erased.number)).toEqual(['EnReparto sin_correo']);
  await expect.poll(() => noticesOf(moved.number)).toEqual(['EnReparto superado']);
  const told = mailServer.mails.flatMap(({ to }) => to);
  for (const { Email } of [erased, moved]) expect(told).not.toContain(Email);
});

test('what waits is not sent once the parcel came to the same state anew', async ({
  mailServer,
  makeDue,
  newParcel,
  noticesOf,
  register,
  sendAnother,
}) => {
  const { number, Email } = await newParcel();
  const fail = () => register(event(number, 'Incidencia', { Motivo: 'destinatario_ausente' }));
  mailServer.answers.push({ at: 'RCPT TO', code: 451 });
  await fail();
  await expect.poll(() => mailServer.answers).toEqual([]);
  await expect.poll(() => noticesOf(number)).toEqual(['Incidencia pendiente']);
  await register(event(number, 'EnReparto'));
  await expect.poll(() => noticesOf(number)).toContain('EnReparto enviado');
  await fail();
  await expect.poll(() => noticesOf(number)).toContain('Incidencia enviado');
  await makeDue(number);
  await sendAnother();
  await expect
    .poll(() => noticesOf(number))
    .toEqual(['Incidencia superado', 'EnReparto enviado', 'Incidencia enviado']);
  expect(mailServer.mails.filter(({ to }) => to.includes(Email))).toHaveLength(2);
});
