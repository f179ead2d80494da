import { expect } from 'vitest';
import { fullGuide } from '#test/fixtures/client.ts';
import { event } from '#test/fixtures/events.ts';
import { headerOf, test } from './fixture.ts';

/** A person wants no more notices. */

const { Destinatario } = fullGuide();

test('a person who follows the link and presses the button gets none, of any shop, until taking it back', async ({
  api,
  choose,
  mailServer,
  mailTo,
  newGuide,
  noticesOf,
  register,
}) => {
  await choose({ Activo: true });
  const newParcelTo = (Email: string) => newGuide({ Destinatario: { ...Destinatario, Email } });
  const first = await newParcelTo('Ana.Ruiz@correo.example');
  await register(event(first, 'EnReparto'));
  const link = headerOf(await mailTo('Ana.Ruiz@correo.example'), 'List-Unsubscribe') ?? '';
  const url = link.slice(1, -1).replace('https://guias.example', api.url);
  expect(link).not.toMatch(/ana/i);

  // Programs that check mails follow links.
  for (let i = 0; i < 2; i++) {
    const page = await fetch(url);
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self'");
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(await page.text()).toContain('No recibir más avisos');
  }
  await register(event(first, 'Entregado'));
  await expect.poll(() => noticesOf(first)).toContain('Entregado enviado');

  // As a mail program does it (RFC 8058).
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const pressed = await fetch(url, { method: 'POST', body: 'List-Unsubscribe=One-Click', headers });
  expect([pressed.status, await pressed.text()]).toEqual([
    200,
    expect.stringContaining('Ya no le mandaremos avisos'),
  ]);
  const second = await newParcelTo('ana.ruiz@CORREO.example');
  await register(event(second, 'EnReparto'));
  await expect.poll(() => noticesOf(second)).toEqual(['EnReparto no_desea']);
  expect(mailServer.mails.flatMap(({ to }) => to)).not.toContain('ana.ruiz@CORREO.example');

  expect((await fetch(`${url}/recibir`, { method: 'POST' })).status).toBe(200);
  await register(event(second, 'Entregado'));
  await mailTo('ana.ruiz@CORREO.example');
});

test.for(['x', 'x'.repeat(65), '%E0'])(
  'a link that we did not make, enlace_no_valido, is answered by a page and changes nothing: %s',
  async (token, { api }) => {
    for (const method of ['GET', 'POST']) {
      const answer = await fetch(`${api.url}/avisos/${token}`, { method });
      expect([answer.status, await answer.text()]).toEqual([
        404,
        expect.stringContaining('Este enlace no sirve'),
      ]);
    }
  },
);

test('nobody gets more than 20 in 24 hours, whoever sends them', async ({
  choose,
  mailServer,
  newGuide,
  noticesOf,
  register,
}) => {
  await choose({ Activo: true });
  const Email = 'acosada@correo.example';
  const guides = await Promise.all(
    Array.from({ length: 21 }, () => newGuide({ Destinatario: { ...Destinatario, Email } })),
  );
  await register(...guides.map((number) => event(number, 'EnReparto')));
  const results = async () => (await Promise.all(guides.map(noticesOf))).flat().toSorted();
  await expect.poll(results).toEqual([...Array(20).fill('EnReparto enviado'), 'EnReparto limite']);
  expect(mailServer.mails.filter(({ to }) => to.includes(Email))).toHaveLength(20);
});
