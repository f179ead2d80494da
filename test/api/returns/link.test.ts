import { createHash, randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { BRANCHES } from '#local/demo-data.ts';
import { run as runCli } from '#services/api/cli.ts';
import { phoneText } from '#shared/phones/phone.ts';
import { RETURNS } from '#shared/returns/return-model.ts';
import { modelOf } from '#shared/stores/collection.ts';
import { lookAtEach } from '#test/fixtures/axe.ts';
import { openTab } from '#test/fixtures/browser.ts';
import { type Answer, Client, fullGuide } from '#test/fixtures/client.ts';
import { event, test as events } from '#test/fixtures/events.ts';
import { readLabel } from '#test/fixtures/labels/label-pixels.ts';
import { runCommand } from '#test/fixtures/operators/command.ts';
import { newAddress } from '#test/fixtures/page-visits.ts';

/** The link by which a person prints the label of a return (docs/contract.md "Returns"). */

type Link = { SEND_GUIA: string; Enlace: string; Vence: string };

const test = events
  .extend('settings', {
    TRUST_PROXY: '1',
    PUBLIC_URL: 'https://guias.example',
    PRIVACY_NOTICE_URL: 'https://guias.example/privacidad',
  })
  .extend('printing', { scope: 'file', auto: true }, ({ labelWorker }) => labelWorker)
  /** A new guide with an early return. */
  .extend('returned', { scope: 'file' }, ({ demo, newGuide }) => async (more: object = fullGuide()) => {
    const number = await newGuide(more);
    const { body } = await demo.post(`/api/guias/${number}/devolucion`, { Anticipada: true });
    return { number, back: (body.data as { SEND_GUIA: string }).SEND_GUIA };
  })
  .extend('linkOf', { scope: 'file' }, ({ demo }) => async (number: string, by = demo) => {
    const { body }: Answer = await by.post(`/api/guias/${number}/devolucion/enlace`, '');
    return body.data as Link;
  })
  .extend('open', { scope: 'file' }, ({ api }) => async ({ Enlace }: Link, method = 'GET') => {
    const { pathname } = new URL(Enlace);
    const answer = await fetch(api.url + pathname, { method, headers: { 'x-forwarded-for': newAddress() } });
    return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
  });

test('prints the label without a token, and names nobody on its page', async ({ returned, linkOf, open }) => {
  // The branch has their street and colonia otherwise.
  const { Remitente, ...rest } = fullGuide();
  const Destinatario = { ...rest.Destinatario, Calle: 'Calle Rayón', Colonia: 'Obispado' };
  const { number, back } = await returned({ ...rest, Remitente, Destinatario });
  const link = await linkOf(number);
  expect(link.Enlace).toMatch(/^https:\/\/guias\.example\/devolver\/[\w-]{22}$/);
  const days = (Date.parse(link.Vence) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(29.9);
  expect(days).toBeLessThan(30.1);
  const { status, headers, bytes } = await open(link);
  expect(status).toBe(200);
  expect(Object.fromEntries(headers)).toMatchObject({
    'cache-control': 'no-store',
    'x-robots-tag': 'noindex',
    'referrer-policy': 'no-referrer',
  });
  const page = bytes.toString();
  expect(page).toContain(back);
  expect(page).toContain('href="https://guias.example/privacidad"');
  // Where the parcel is taken.
  const branch = BRANCHES.find(({ Codigo }) => Codigo === 'MTY01');
  for (const text of [branch?.Nombre, branch?.Calle, branch?.Horario]) expect(page).toContain(text);
  for (const { Nombre, Calle, Colonia, Email, Telefono } of [Remitente, Destinatario]) {
    for (const text of [Nombre, Calle, Colonia, Email, Telefono]) expect(page).not.toContain(text);
  }
  const printed = await open(link, 'POST');
  expect([printed.status, printed.headers.get('content-type')]).toEqual([200, 'application/pdf']);
  expect(printed.headers.get('cache-control')).toBe('no-store');
  expect(printed.headers.get('content-disposition')).toBe(`attachment; filename="devolucion-${back}.pdf"`);
  const [label] = await readLabel(printed.bytes);
  expect(label?.text).toContain('DEVOLUCIÓN');
  expect(label?.code128.toSorted()).toEqual([back, number].toSorted());
});

test('is stored as a digest alone, and looking changes nothing', async ({
  api,
  returned,
  linkOf,
  open,
  stores,
}) => {
  const { number, back } = await returned();
  const link = await linkOf(number);
  const secret = new URL(link.Enlace).pathname.split('/').at(-1) ?? '';
  const stored = () => modelOf(stores.mongo, RETURNS).findOne({ _id: back }).lean();
  const before = await stored();
  expect(JSON.stringify(before)).not.toContain(secret);
  expect(before?.link?.digest).toBe(createHash('sha256').update(secret).digest('base64url'));
  for (const method of ['GET', 'GET', 'HEAD']) expect((await open(link, method)).status).toBe(200);
  expect(await stored()).toEqual(before);
  const metrics = await (await fetch(`${api.url}/metrics`)).text();
  expect(metrics).toContain('/devolver/:secreto');
  expect(metrics).not.toContain(secret);
});

test('twenty prints a day', async ({ returned, linkOf, open, stores }) => {
  const { number, back } = await returned();
  const link = await linkOf(number);
  expect((await open(link, 'POST')).status).toBe(200);
  await modelOf(stores.mongo, RETURNS).updateOne({ _id: back }, { $set: { 'link.prints': 19 } });
  const statuses = await Promise.all(
    Array.from({ length: 4 }, async () => (await open(link, 'POST')).status),
  );
  expect(statuses.toSorted()).toEqual([200, 429, 429, 429]);
  await modelOf(stores.mongo, RETURNS).updateOne({ _id: back }, { $set: { 'link.day': '2020-01-01' } });
  expect((await open(link, 'POST')).status).toBe(200);
});

test.for<[ending: string]>([
  ['the first scan'],
  ['the cancellation'],
  ['an erasure'],
  ['another link'],
  ['DELETE'],
  ['its days'],
  ['`disable` of who made it'],
])(
  '%s ends it, as if it had never been',
  async ([ending], { api, demo, returned, linkOf, open, register, stores }) => {
    const { Destinatario, ...rest } = fullGuide();
    const name = `Íñigo ${randomUUID()}`.slice(0, 40);
    const { number, back } = await returned({ ...rest, Destinatario: { ...Destinatario, Nombre: name } });
    const colleague = await Client.login(api.url, 'demo2');
    const link = await linkOf(number, colleague);
    const all = modelOf(stores.mongo, RETURNS);
    const env = { MONGODB_URI: stores.mongoUri, TIME_ZONE: 'America/Mexico_City', OPERATOR: 'ana' };
    const admin = async (...args: string[]) =>
      expect(await runCommand(runCli, args, { env })).toMatchObject({ code: 0 });
    const endings: Record<string, () => Promise<unknown>> = {
      'the first scan': () => register(event(back, 'Recolectado')),
      'the cancellation': () => demo.post(`/api/guias/${back}/cancelar`, ''),
      'an erasure': () => admin('privacy', 'erase', '--name', name, '--yes'),
      'another link': () => linkOf(number),
      DELETE: () => demo.post(`/api/guias/${number}/devolucion/enlace`, '', {}, 'DELETE'),
      '`disable` of who made it': () => admin('disable', 'demo2'),
      'its days': () => all.updateOne({ _id: back }, { $set: { 'link.endsAt': new Date(0) } }),
    };
    expect((await open(link)).status).toBe(200);
    await endings[ending]?.();
    const unknown = await open({ ...link, Enlace: `https://x/devolver/${'A'.repeat(22)}` });
    for (const method of ['GET', 'POST']) {
      const { status, bytes } = await open(link, method);
      expect([method, status]).toEqual([method, 404]);
      expect(bytes).toEqual(unknown.bytes);
    }
  },
);

test('what cannot be a link is the same page', async ({ api, open, returned, linkOf }) => {
  const { number } = await returned();
  const link = await linkOf(number);
  const unknown = await open({ ...link, Enlace: `https://x/devolver/${'A'.repeat(22)}` });
  for (const path of ['/devolver/x', '/devolver/%E0', `/devolver/${'A'.repeat(90)}`]) {
    const answer = await fetch(api.url + path, { headers: { 'x-forwarded-for': newAddress() } });
    expect([path, answer.status]).toEqual([path, 404]);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(unknown.bytes);
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
  }
});

test('counts on no bill, and takes no page of the account', async ({
  api,
  returned,
  linkOf,
  open,
  stores,
}) => {
  const { number } = await returned();
  const link = await linkOf(number);
  const counted = () => stores.mongo.collection('labelUsage').countDocuments();
  const before = await counted();
  expect((await open(link, 'POST')).status).toBe(200);
  await api.server.ready();
  expect(await counted()).toBe(before);
});

const NARROW = { width: 320, height: 640 };
const PHONE = { width: 390, height: 844 };
const WIDE = { width: 1280, height: 900 };
const PAGES = ['devolver', 'devolver-varios', 'devolver-prueba', 'devolver-429', 'devolver-404'] as const;

const browserTest = test
  .extend('paths', { scope: 'file' }, async ({ api, returned, linkOf, stores }) => {
    const pathOf = async (number: string, by?: Client) => new URL((await linkOf(number, by)).Enlace).pathname;
    const spent = await returned();
    const several = { ...fullGuide(), Producto: { ...fullGuide().Producto, Paquetes: 12 } };
    const shop = await Client.login(api.url, 'prueba');
    const [own] = await shop.created(fullGuide());
    await shop.post(`/api/guias/${own?.SEND_GUIA}/devolucion`, { Anticipada: true });
    const paths: Record<(typeof PAGES)[number], string> = {
      devolver: await pathOf((await returned()).number),
      'devolver-varios': await pathOf((await returned(several)).number),
      'devolver-prueba': await pathOf(own?.SEND_GUIA ?? '', shop),
      'devolver-429': await pathOf(spent.number),
      'devolver-404': '/devolver/x',
    };
    const day = new Date().toISOString().slice(0, 10);
    const used = { 'link.day': day, 'link.prints': 20 };
    await modelOf(stores.mongo, RETURNS).updateOne({ _id: spent.back }, { $set: used });
    return paths;
  })
  .extend('look', { scope: 'file' }, ({ api, browser, paths }) => {
    return async (name: (typeof PAGES)[number], viewport = WIDE) => {
      const { page, failures } = await openTab(browser);
      await page.setExtraHTTPHeaders({ 'x-forwarded-for': newAddress() });
      await page.setViewport(viewport);
      await page.goto(api.url + paths[name]);
      return { page, failures: failures.filter((text) => !/40[49]|429/.test(text)) };
    };
  });
const PRINT = 'document.querySelector("button")';

describe('the page of a link in a browser', () => {
  browserTest.for(PAGES)(
    '%s has no finding of axe, in light and dark, and fits from 320 px on',
    async (name, { look }) => {
      const { page, failures } = await look(name);
      if (name === 'devolver-429')
        await Promise.all([page.waitForNavigation(), page.evaluate(`${PRINT}.click()`)]);
      await lookAtEach(page, name, [NARROW, PHONE, WIDE]);
      expect(failures).toEqual([]);
      await page.close();
    },
  );

  browserTest('is used by keyboard: prints, then leads to where the parcel is', async ({ look, paths }) => {
    const { page } = await look('devolver', PHONE);
    const focused = 'document.activeElement.textContent';
    await page.keyboard.press('Tab');
    expect(await page.evaluate(focused)).toBe('Descargar la etiqueta');
    expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle !== 'none'")).toBe(
      true,
    );
    const [printed] = await Promise.all([
      page.waitForResponse((response) => response.request().method() === 'POST'),
      page.keyboard.press('Enter'),
    ]);
    expect([printed.status(), printed.headers()['content-type']]).toEqual([200, 'application/pdf']);
    // The page stays, with the next steps.
    expect(new URL(page.url()).pathname).toBe(paths.devolver);
    const phone = phoneText(BRANCHES.find(({ Codigo }) => Codigo === 'MTY01')?.Telefono ?? '');
    for (const link of [phone, 'Rastrear la devolución', 'Aviso de privacidad']) {
      await page.keyboard.press('Tab');
      expect(await page.evaluate(focused)).toBe(link);
    }
    await page.close();
  });
});
