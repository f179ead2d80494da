import { createHmac } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { describe, expect } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { branches } from '#services/api/branches/room.ts';
import { UserStore } from '#shared/accounts/user-store.ts';
import { PostalCodeStore } from '#shared/branches/postal-code-store.ts';
import { CUSTOMER_PERMISSIONS } from '#shared/rooms.ts';
import { lookAt } from '#test/fixtures/axe.ts';
import { openTab } from '#test/fixtures/browser.ts';
import type { Client } from '#test/fixtures/client.ts';
import { readLabel } from '#test/fixtures/labels/label-pixels.ts';
import { userMaker } from '#test/fixtures/new-user.ts';
import { JWT_SECRET, printingTest as services } from '#test/fixtures/services.ts';
import * as counter from './many/counter-tab.ts';

/** The counter, as a person uses it who has a keyboard, a printer, and at times a bad line. */

const PASSWORD = 'demo1234';
const SCREENS = [360, 768, 1280].map((width) => ({ width, height: 900 }));
const RECIPIENT = {
  ...{ 'Destinatario.Nombre': 'Luis', 'Destinatario.CodigoPostal': '64000' },
  ...{
    'Destinatario.Calle': 'Zaragoza',
    'Destinatario.Numero_exterior': '1',
    'Producto.Contenido': 'Libros',
  },
};
const GUIDE = { 'Remitente.Nombre': 'Ana', 'Remitente.CodigoPostal': '06600', ...RECIPIENT };

/** Lets a test lose or hold the answers of a path, end a token, and look at what is shown. */
const WRAPPED = `
  const { createObjectURL } = URL;
  URL.createObjectURL = (shown) => createObjectURL.call(URL, (window.shown = shown));
  const real = window.fetch;
  window.keys = [];
  window.fetch = async (path, init) => {
    const { token } = window;
    if (String(path).endsWith('/crear')) {
      window.keys.push(init.headers['idempotency-key']);
      delete window.token;
      if (token) init.headers.authorization = 'Bearer ' + token;
    }
    const answer = await real(path, init);
    if (window.held?.test(path)) await new Promise((release) => Object.assign(window, { release }));
    if (!window.lost?.test(path)) return answer;
    delete window.lost;
    throw new TypeError('Failed to fetch');
  };
  window.violations = [];
  addEventListener('securitypolicyviolation', ({ violatedDirective }) => violations.push(violatedDirective));
`;

const test = services
  .extend('open', { scope: 'file' }, ({ api, browser }) => async () => {
    const context = await browser.createBrowserContext();
    const { page, failures } = await openTab(context as never);
    await page.setViewport({ width: 1280, height: 900 });
    await page.evaluateOnNewDocument(WRAPPED);
    await page.goto(`${api.url}/mostrador`);
    return { page, failures };
  })
  .extend('catalogue', { scope: 'file', auto: true }, async ({ stores, api }) => {
    const place = (CodigoPostal: string, Estado: string, Municipio: string, ...Colonias: string[]) => ({
      ...{ CodigoPostal, Estado, Municipio, Ciudad: '', Colonias },
    });
    await new PostalCodeStore(stores.mongo).replace(
      0,
      [
        place('06600', 'Ciudad de México', 'Cuauhtémoc', 'Juárez'),
        place('64000', 'Nuevo León', 'Monterrey', 'Monterrey Centro', 'La Finca'),
      ],
      'ana',
    );
    await api.contextOf(branches).catalogue.look();
  })
  .extend('newUser', { scope: 'file' }, ({ stores }) => userMaker(new UserStore(stores.mongo), PASSWORD));

const field = (path: string) => `[id="${path}"]`;
const text = (page: Page) => page.$eval('body', ({ innerText }) => innerText);

async function enter(page: Page, username = 'demo', password = PASSWORD): Promise<void> {
  await page.locator('#usuario').fill(username);
  await page.locator('#clave').fill(password);
  await page.keyboard.press('Enter');
}

async function fill(page: Page, values: Record<string, string>): Promise<void> {
  for (const [path, value] of Object.entries(values)) await page.locator(field(path)).fill(value);
}

/** Clicks on the button with these words, or on what begins so. */
async function press(page: Page, words: string): Promise<void> {
  await page.locator(`::-p-xpath(//button[contains(., "${words}")])`).click();
}

/** Waits for the label, and returns the number of its guide. */
async function created(page: Page): Promise<string> {
  await page.waitForSelector('.hecha iframe');
  return page.$eval('.hecha strong', ({ textContent }) => textContent ?? '');
}

/** Changes to another tab of the page. */
async function lookAtTab(page: Page, path: string, heading: string): Promise<void> {
  await page.evaluate(`location.hash = '#/${path}'`);
  await page.waitForFunction(`document.querySelector('h1')?.innerText === '${heading}'`);
}

/** Holds the answer of a path, and returns what lets it go. */
async function hold(page: Page, path: RegExp, ask: () => Promise<unknown>): Promise<() => Promise<unknown>> {
  await page.evaluate(`delete window.release; window.held = ${path}`);
  await ask();
  await page.waitForFunction('window.release');
  return () => page.evaluate('delete window.held; release()');
}

const textIn = (page: Page, id: string) =>
  page.evaluate(`document.getElementById('${id}').value`) as Promise<string>;

/** Takes away the files of the page, as a newer service does. */
async function withoutFiles(page: Page, name = '/mostrador/'): Promise<void> {
  await page.setRequestInterception(true);
  page.on('request', (request) =>
    request.url().includes(name) ? request.respond({ status: 404 }) : request.continue(),
  );
}

/** How many guides name this recipient. */
async function guidesFor(demo: Client, recipient: string): Promise<number> {
  const { body } = await demo.get('/api/guias?limite=100');
  return (body.data as { SEND_DESTINATARIO: string }[]).filter(
    ({ SEND_DESTINATARIO }) => SEND_DESTINATARIO === recipient,
  ).length;
}

/** What is asked while one types, and a label that the service asks to wait for. */
const USUAL = /\/api\/(?:guias\/(?:validar|cotizar)|codigos-postales\/\d+)$|status of 503/;
const LEFT = `Promise.all([indexedDB.databases(), caches.keys()]).then(([databases, cached]) => [
  ...databases.map(({ name }) => name), ...cached, ...Object.keys(localStorage), ...Object.keys(sessionStorage), document.cookie,
].filter(Boolean))`;

describe('the counter in a browser', { timeout: 180_000 }, () => {
  test('takes no password at an address without https, where it could create nothing', async ({ open }) => {
    const { page } = await open();
    // As a browser says of such an address; 127.0.0.1 is no such one.
    await page.evaluateOnNewDocument('Object.defineProperty(window, "isSecureContext", { value: false })');
    await page.reload();
    await page.waitForFunction(`document.body.innerText.includes('https')`);
    expect(await page.$('#clave')).toBe(null);
  });

  test('says why a login is refused', async ({ open }) => {
    const { page } = await open();
    await enter(page, 'demo', 'otra');
    await page.waitForSelector('[role=alert]');
    expect(await text(page)).toContain('Usuario o contraseña incorrectos');
    // The next try takes the place of the wrong one.
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForSelector(field('Remitente.Nombre'));
  });

  test('makes a guide by keyboard alone, from the password to the label', async ({ open }) => {
    const { page, failures } = await open();
    const { keyboard } = page;
    await page.waitForFunction("document.activeElement.id === 'usuario'");
    await keyboard.type('demo');
    await keyboard.press('Tab');
    await keyboard.type(PASSWORD);
    await keyboard.press('Enter');
    await page.waitForFunction("document.activeElement.id === 'Remitente.Nombre'");
    // A scanner ends each code with Enter, as people end each field.
    for (const [path, value] of Object.entries(GUIDE)) {
      for (let steps = 0; (await page.evaluate('document.activeElement.id')) !== path; steps += 1) {
        expect(steps).toBeLessThan(20);
        await keyboard.press('Enter');
      }
      await keyboard.type(value);
    }
    await page.waitForFunction(`document.getElementById('Destinatario.Municipio').value === 'Monterrey'`);
    while ((await page.evaluate('document.activeElement.type')) !== 'submit') await keyboard.press('Enter');
    await keyboard.press('Enter');
    const number = await created(page);
    const bytes = await page.evaluate('shown.arrayBuffer().then((bytes) => [...new Uint8Array(bytes)])');
    const [label] = await readLabel(Buffer.from(bytes as number[]));
    expect(label?.code128).toEqual([`${number}-01`]);
    await page.waitForFunction("document.activeElement.textContent === 'Otra con el mismo remitente'");
    await keyboard.press('Enter');
    await page.waitForFunction("document.activeElement.id === 'Destinatario.Nombre'");
    expect(await page.evaluate("document.getElementById('Remitente.Nombre').value")).toBe('Ana');
    expect(await page.evaluate('violations')).toEqual([]);
    // Who types on ends what was asked of the text before.
    expect(failures.filter((text) => !USUAL.test(text))).toEqual([]);
  });

  test('fits every screen and has no finding of axe: empty, with problems, and with a label', async ({
    open,
  }) => {
    const { page } = await open();
    await page.waitForSelector('#usuario');
    for (const screen of SCREENS) await lookAt(page, 'mostrador-entrar', screen);
    await enter(page);
    await page.waitForSelector(field('Remitente.Nombre'));
    for (const screen of SCREENS) await lookAt(page, 'mostrador-una', screen);
    const { 'Destinatario.Calle': _, ...homeless } = GUIDE;
    await fill(page, homeless);
    await page.waitForSelector(field('Destinatario.Calle-atencion'));
    for (const screen of SCREENS) await lookAt(page, 'mostrador-advertencias', screen);
    await fill(page, { 'Destinatario.Celular': '12' });
    await press(page, 'Crear e imprimir');
    await page.waitForSelector(`${field('Destinatario.Celular')}[aria-invalid]`);
    for (const screen of SCREENS) await lookAt(page, 'mostrador-problemas', screen);
    await fill(page, { 'Destinatario.Celular': '8112345678' });
    await press(page, 'Crear e imprimir');
    await created(page);
    for (const screen of SCREENS) await lookAt(page, 'mostrador-etiqueta', screen);
    expect(await page.evaluate('violations')).toEqual([]);
  });

  test('shows price, days and place while one types, and a problem beside its field', async ({ open }) => {
    const { page } = await open();
    await enter(page);
    await fill(page, { ...GUIDE, 'Producto.Peso': '2,5', 'Producto.Largo': '30', 'Producto.Alto': '20' });
    await fill(page, { 'Producto.Ancho': '15' });
    await page.click('.servicio:last-of-type input');
    await lookAtTab(page, 'enviado', 'Lo enviado');
    await page.evaluate('window.lost = /cotizar$/');
    await lookAtTab(page, 'una', 'Una guía');
    await page.waitForSelector('.servicio:last-of-type input:checked');
    await page.waitForFunction(`/\\$\\d+\\.\\d\\d/.test(document.querySelector('.servicio').innerText)`);
    expect(await page.$eval('.servicio', ({ textContent }) => textContent)).toMatch(/Llega (el|entre)/);
    await page.waitForSelector(`${field('Destinatario.Colonia-lista')} option[value="Monterrey Centro"]`);
    await page.click(field('Destinatario.CodigoPostal'), { count: 3 });
    await page.keyboard.type('99999');
    await page.keyboard.press('Enter');
    await page.waitForFunction(
      `document.getElementById('Destinatario.CodigoPostal-mal')?.innerText.includes('El transportista no entrega ahí.')`,
    );
    await page.click(field('Destinatario.CodigoPostal'), { count: 3 });
    await page.keyboard.type('6600');
    await page.keyboard.press('Enter');
    await press(page, 'Poner 06600');
    await page.waitForFunction(`document.getElementById('Destinatario.CodigoPostal').value === '06600'`);
    await fill(page, { 'Producto.ValorDeclarado': '1,500' });
    await page.keyboard.press('Enter');
    await page.waitForFunction(
      `document.getElementById('Producto.ValorDeclarado-mal')?.innerText.includes('No se sabe si la coma')`,
    );
  });

  test('leaves what a person writes while the place of a postal code is on its way', async ({ open }) => {
    const { page } = await open();
    await enter(page);
    await page.waitForSelector(field('Remitente.Nombre'));
    for (const [path, name] of [
      ['una', 'Destinatario.'],
      ['enviado/recolecciones/nueva', 'recoger-'],
    ] as const) {
      await page.evaluate(`location.hash = '#/${path}'`);
      const code = name === 'recoger-' ? 'recoger-cp' : `${name}CodigoPostal`;
      const release = await hold(page, /codigos-postales/, () => fill(page, { [code]: '64000' }));
      await fill(page, { [`${name}Colonia`]: 'La Finca' });
      await release();
      await page.waitForFunction(`document.getElementById('${name}Municipio').value === 'Monterrey'`);
      expect(await textIn(page, `${name}Colonia`)).toBe('La Finca');
    }
  });

  test('goes on after the service has a newer page, whose files are others', async ({ open }) => {
    const { page } = await open();
    await enter(page);
    await page.waitForFunction(
      `performance.getEntriesByType('resource').some(({ name }) => name.includes('/sent-'))`,
    );
    await page.waitForNetworkIdle();
    await withoutFiles(page);
    await page.evaluate("location.hash = '#/enviado'");
    await page.waitForFunction("document.querySelector('h1')?.innerText === 'Lo enviado'");
  });

  test('says that the page must be loaded again, and keeps what is filled in until then', async ({
    open,
  }) => {
    const { page } = await open();
    await withoutFiles(page, '/sent-');
    await enter(page);
    await fill(page, { 'Remitente.Nombre': 'Ana' });
    await page.evaluate("location.hash = '#/enviado'");
    await page.waitForFunction("document.body.innerText.includes('vuelva a cargar la página')");
    await page.evaluate("location.hash = '#/una'");
    await page.waitForFunction(`document.getElementById('Remitente.Nombre')?.value === 'Ana'`);
  });

  test('lets a one-time password be changed, and goes in', async ({ open, newUser }) => {
    const oneTimeUntil = new Date(Date.now() + 3_600_000);
    await newUser('importado', { oneTimeUntil, permissions: [...CUSTOMER_PERMISSIONS] });
    const { page } = await open();
    await enter(page, 'importado');
    await page.waitForFunction("document.activeElement.id === 'nueva'");
    await lookAt(page, 'mostrador-temporal', { width: 360, height: 900 });
    await page.locator('#nueva').fill('una clave mia y larga');
    await page.keyboard.press('Enter');
    await page.waitForSelector(field('Remitente.Nombre'));
    await Promise.all([page.waitForNavigation(), press(page, 'Salir')]);
    await enter(page, 'importado', 'una clave mia y larga');
    await page.waitForSelector(field('Remitente.Nombre'));
  });

  test('asks for the password when the token ends, and creates the guide once', async ({ open, demo }) => {
    const { page } = await open();
    await enter(page);
    await fill(page, { ...GUIDE, 'Destinatario.Nombre': 'Token Vencido' });
    await page.evaluate(`window.token = '${expiredToken()}'`);
    await press(page, 'Crear e imprimir');
    await page.waitForFunction(
      "document.activeElement.closest('dialog') && document.activeElement.id === 'clave'",
    );
    await lookAt(page, 'mostrador-otra-vez', { width: 360, height: 900 });
    await page.locator('dialog #clave').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await created(page);
    const keys = (await page.evaluate('keys')) as string[];
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
    expect(await guidesFor(demo, 'Token Vencido')).toBe(1);
  });

  test('creates a guide once whose answer is lost, and waits while there is no line', async ({
    open,
    demo,
  }) => {
    const { page } = await open();
    // As where the browser lets no page keep anything.
    await page.evaluateOnNewDocument(
      `Object.defineProperty(window, 'sessionStorage', { get() { throw new DOMException('', 'SecurityError'); } })`,
    );
    await page.reload();
    await enter(page);
    await fill(page, { ...GUIDE, 'Destinatario.Nombre': 'Respuesta Perdida' });
    await page.evaluate('window.lost = /crear$/');
    await press(page, 'Crear e imprimir');
    await created(page);
    expect(await guidesFor(demo, 'Respuesta Perdida')).toBe(1);
    await press(page, 'Otra con el mismo remitente');
    await fill(page, { ...RECIPIENT, 'Destinatario.Nombre': 'Sin Linea' });
    await page.setOfflineMode(true);
    await press(page, 'Crear e imprimir');
    await page.waitForFunction('keys.length > 3');
    await page.setOfflineMode(false);
    await created(page);
    expect(await guidesFor(demo, 'Sin Linea')).toBe(1);
  });

  test('creates a guide once when the page is loaded again before the answer', async ({ open, demo }) => {
    const { page } = await open();
    const fillAll = async () => {
      await fill(page, { ...GUIDE, 'Destinatario.Nombre': 'Otra Vez Cargada' });
      // The place of each postal code is a part of the guide.
      await page.waitForFunction(
        `['Remitente', 'Destinatario'].every((whose) => document.getElementById(whose + '.Municipio').value)`,
      );
    };
    await enter(page);
    await fillAll();
    await hold(page, /crear$/, () => press(page, 'Crear e imprimir'));
    // Nothing of the guide.
    expect(await page.evaluate('Object.values(sessionStorage)')).toEqual([
      expect.stringMatching(/^[\da-f-]{36}$/),
    ]);
    await page.reload();
    await enter(page);
    await fillAll();
    await press(page, 'Crear e imprimir');
    await created(page);
    expect(await guidesFor(demo, 'Otra Vez Cargada')).toBe(1);
    // After an answer, the same is another guide.
    await press(page, 'Otra en blanco');
    await fillAll();
    await hold(page, /crear$/, () => press(page, 'Crear e imprimir'));
    expect(await guidesFor(demo, 'Otra Vez Cargada')).toBe(2);
    await Promise.all([page.waitForNavigation(), press(page, 'Salir')]);
    expect(await page.evaluate(LEFT)).toEqual([]);
  });

  test('goes on with a creation while another tab of the page is looked at', async ({ open, demo }) => {
    const { page } = await open();
    await enter(page);
    await fill(page, { ...GUIDE, 'Destinatario.Nombre': 'Otra Parte' });
    const release = await hold(page, /crear$/, () => press(page, 'Crear e imprimir'));
    await lookAtTab(page, 'enviado', 'Lo enviado');
    await lookAtTab(page, 'una', 'Una guía');
    await page.waitForSelector(field('Remitente.Nombre'));
    await page.click('.una button[type=submit]');
    await release();
    await created(page);
    expect(await guidesFor(demo, 'Otra Parte')).toBe(1);
    // Nor is an answer lost that comes meanwhile.
    await press(page, 'Otra con el mismo remitente');
    await fill(page, { ...RECIPIENT, 'Destinatario.Nombre': 'Llega Mientras' });
    const late = await hold(page, /crear$/, () => press(page, 'Crear e imprimir'));
    await lookAtTab(page, 'enviado', 'Lo enviado');
    await late();
    await lookAtTab(page, 'una', 'Una guía');
    await created(page);
    expect(await guidesFor(demo, 'Llega Mientras')).toBe(1);
    // Its label is printed once.
    await lookAtTab(page, 'enviado', 'Lo enviado');
    await lookAtTab(page, 'una', 'Una guía');
    await page.waitForSelector(field('Remitente.Nombre'));
    expect(await textIn(page, 'Destinatario.Nombre')).toBe('');
  });

  test('waits as long as the service asks for, says so, and goes on', async ({ startApi, open }) => {
    // Who has come in is asked for by two requests at once.
    const slow = await startApi({ REQUESTS_PER_SECOND_PER_ACCOUNT: '1', REQUESTS_BURST_PER_ACCOUNT: '1' });
    const { page } = await open();
    await page.goto(`${slow.url}/mostrador`);
    await page.evaluate(`window.seen = [];
      new MutationObserver(() => seen.push(document.body.innerText)).observe(document.body, { subtree: true, childList: true })`);
    await enter(page);
    await page.waitForSelector(field('Remitente.Nombre'));
    expect(((await page.evaluate('seen')) as string[]).join()).toMatch(/El servicio pide esperar \d+ s/);
  });

  test('puts a kept sender in place of another one, without mixing them', async ({ open }) => {
    const { page } = await open();
    await enter(page);
    await fill(page, { 'Remitente.Nombre': 'Bety', 'Remitente.CodigoPostal': '64000' });
    await press(page, 'Guardar este remitente');
    await page.waitForSelector('.guardados option[value="0"]');
    await fill(page, { 'Remitente.Nombre': 'Ana', 'Remitente.Numero_interior': '4B' });
    await press(page, 'Guardar este remitente');
    await page.waitForSelector('.guardados option[value="1"]');
    await page.select('.guardados select', '1');
    await page.waitForFunction(`document.getElementById('Remitente.Nombre').value === 'Bety'`);
    expect(await textIn(page, 'Remitente.Numero_interior')).toBe('');
  });

  test('keeps a sender that the user wants kept, and nothing else; "Salir" leaves nothing', async ({
    open,
    api,
  }) => {
    const { page } = await open();
    await enter(page);
    await fill(page, GUIDE);
    await press(page, 'Crear e imprimir');
    await created(page);
    expect(await page.evaluate(LEFT)).toEqual([]);
    await press(page, 'Otra con el mismo remitente');
    await press(page, 'Guardar este remitente');
    await page.waitForFunction(`document.querySelector('.guardar').innerText.includes('Guardado')`);
    expect(await page.evaluate(LEFT)).toEqual(['mostrador']);
    await page.goto('about:blank');
    await page.goto(`${api.url}/mostrador`);
    await enter(page);
    await page.waitForSelector('.guardados option[value="0"]');
    await page.select('.guardados select', '0');
    await page.waitForFunction(`document.getElementById('Remitente.Nombre').value === 'Ana'`);
    await lookAtTab(page, 'enviado/recolecciones/nueva', 'Pedir una recolección');
    await page.waitForSelector('.guardados option[value="0"]');
    await page.select('.guardados select', '0');
    await page.waitForFunction(`document.getElementById('recoger-cp').value === '06600'`);
    const { page: other } = await openTab(page.browserContext() as never);
    await other.goto(`${api.url}/mostrador`);
    await enter(other);
    await other.waitForSelector(field('Remitente.Nombre'));
    await page.bringToFront();
    await press(page, 'Salir');
    await Promise.all([page.waitForNavigation(), press(page, 'Salir y borrar')]);
    for (const tab of [page, other]) await tab.waitForSelector('#usuario');
    expect(await page.evaluate(LEFT)).toEqual([]);
  });

  test('keeps nothing of what is answered after "Salir", before the page is gone', async ({
    open,
    folder,
  }) => {
    const path = join(folder, 'uno.csv');
    await writeFile(path, 'Nombre;C.P.;Contenido\nSale Antes;06600;Café\n');
    const { page } = await open();
    await enter(page);
    await page.waitForSelector(field('Remitente.Nombre'));
    await lookAtTab(page, 'varias', 'Varias guías');
    await counter.choose(page, path);
    const release = await hold(page, /crear$/, () => counter.pressCreate(page));
    // The next page takes long.
    const next = Promise.withResolvers<void>();
    await page.setRequestInterception(true);
    page.on('request', async (request) => {
      if (!request.isNavigationRequest()) return request.continue();
      await request.respond({ status: 204 });
      next.resolve();
    });
    await press(page, 'Salir');
    await press(page, 'Salir y borrar');
    await next.promise;
    await release();
    await page.evaluate('new Promise(requestIdleCallback).then(() => new Promise(requestIdleCallback))');
    expect(await page.evaluate(LEFT)).toEqual([]);
  });
});

/** Of the service, and past its time. */
function expiredToken(): string {
  const part = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url');
  const now = Math.floor(Date.now() / 1_000);
  const claims = { sub: 'demo', iss: 'shipping-guides', iat: now - 120, exp: now - 60, gen: 0, jti: 'one' };
  const content = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  return `${content}.${createHmac('sha256', JWT_SECRET).update(content).digest('base64url')}`;
}

const ORDERS = `Pedido;Nombre;Calle;Número;C.P.;Celular;Contenido;Peso
1042;José Núñez;Av. Juárez;800;64000;8112345678;Café;2,5
1043;Laura Méndez;Hidalgo;12;06600;5512345678;Té;0,5
1044;Raúl Ibarra;Morelos;45;99999;5587654321;Café;1
1045;Inés Soto;Zaragoza;7;64000;8187654321;Tazas;3,2
1046;Óscar Vega;Allende;230;06600;55123;Café;2
1047;Elena Ruiz;;;64000;8123456789;Té;0,8
`;

/** `UPDATE_PICTURES=1 npm test -- test/api/counter/browser` takes the picture of the documents anew. */
if (process.env.UPDATE_PICTURES) {
  test('picture for the documents', { timeout: 180_000 }, async ({ api, browser, folder }) => {
    const path = join(folder, 'pedidos.csv');
    await writeFile(path, ORDERS);
    const { page } = await counter.openMany(browser, api.url);
    await page.setViewport({ width: 1280, height: 960 });
    await counter.choose(page, path);
    await page.locator('td.mal button').click();
    await page.waitForFunction(`/Total: \\$/.test(document.querySelector('.crear')?.textContent)`);
    await page.waitForFunction(`/no entrega/.test(document.querySelector('.detalle').textContent)`);
    await writeFile(join(repoRoot, 'docs/pictures/mostrador.png'), await page.screenshot());
    await page.close();
  });
}
