import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { describe, expect } from 'vitest';
import { readFile } from '#services/api/counter/browser/many/reading/read-file.ts';
import { UserStore } from '#shared/accounts/user-store.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import { CUSTOMER_PERMISSIONS } from '#shared/rooms.ts';
import { startAlteringProxy } from '#test/fixtures/altering-proxy.ts';
import { lookAt } from '#test/fixtures/axe.ts';
import { readLabel } from '#test/fixtures/labels/label-pixels.ts';
import { userMaker } from '#test/fixtures/new-user.ts';
import { printingTest } from '#test/fixtures/services.ts';
import * as counter from './counter-tab.ts';
import { windows1252 } from './exports.ts';

/** From a file with mistakes to printed labels, whatever fails on the way. */

/** Orders of the file with mistakes. */
const ORDERS = 30;
const MINUTES = 60_000;

const test = printingTest
  .extend('guides', { scope: 'file' }, ({ stores }) => stores.mongo.collection<GuideDocument>('guides'))
  .extend('newUser', { scope: 'file' }, ({ stores }) =>
    userMaker(new UserStore(stores.mongo), counter.PASSWORD),
  )
  .extend('proxy', async ({ api }, { onCleanup }) => {
    const proxy = await startAlteringProxy(api.url);
    onCleanup(() => proxy.close());
    return proxy;
  })
  /** Writes a file of orders. @returns its path, and the Referencia of each. */
  .extend(
    'orders',
    ({ folder }) =>
      async (name: string, count: number, cells: (i: number) => string[] = right, first = 'Pedido') => {
        const references = Array.from({ length: count }, (_, i) => `${name}-${i + 1}`);
        const lines = references.map((reference, i) => [reference, ...cells(i)].join(';'));
        const path = join(folder, `${name}.csv`);
        await writeFile(
          path,
          windows1252([`${first};Nombre;C.P.;Teléfono;Descripción;Peso`, ...lines, ''].join('\r\n')),
        );
        return { path, references };
      },
  );

const right = (i: number) => [`José Núñez ${i}`, '06600', '5512345678', 'Café', '2,5'];
/** As spreadsheets spoil them: every tenth has a mistake that a person must correct. */
const dirty = (i: number) => [
  i % 3 === 0 ? '<img src=x onerror=alert(1)>' : '=cmd()',
  i % 10 === 1 ? '99999' : i % 2 === 0 ? '6600' : '64000',
  i % 10 === 3 ? '5.51234E+09' : '55 1234-5678',
  i % 10 === 5 ? '' : 'Café',
  i % 10 === 7 ? '1,234' : '2,5',
];

const isCreation = (path: string) => path === '/api/guias/crear';

test(
  'a dirty file becomes labels, results and a manifest, though the network is cut in the middle',
  async ({ browser, proxy, guides, orders }) => {
    const { path, references } = await orders('sucio', ORDERS, dirty);
    const { page, failures } = await counter.openMany(browser, proxy.url);
    await counter.choose(page, path);
    await counter.press(page, 'Poner el cero');
    await counter.checked(page);
    expect(
      await page.$$eval('.problemas button', (all) => all.map(({ textContent }) => textContent)),
    ).toEqual([
      'Siguiente problema',
      ...['Teléfono celular (3)', 'Código postal (3)', 'Contenido (3)', 'Peso (3)'],
    ]);
    const corrections: Record<string, string> = {
      'Código postal': '64000',
      'Teléfono celular': '5512345678',
      Contenido: 'Té',
      Peso: '1.234',
    };
    await counter.press(page, 'Siguiente problema');
    for (let i = 0; i < ORDERS; i++) {
      if (![1, 3, 5, 7].includes(i % 10)) continue;
      const [label = '', line] = (await counter.cellInSight(page)).split(' de la fila ');
      expect(Number(line)).toBe(i + 2);
      await page.locator('input.edicion').fill(corrections[label] ?? '');
      await page.keyboard.press(i < ORDERS - 3 ? 'F8' : 'Enter');
    }
    expect(await counter.checked(page)).toContain('Ninguna tiene problemas.');
    await page.waitForFunction(`/Total: \\$/.test(document.querySelector('.crear')?.textContent)`);

    let creations = 0;
    let isCut = false;
    proxy.alter = (answer) => {
      if (!isCreation(answer.path)) return;
      creations += 1;
      if (creations === 8) isCut = true;
      if (isCut && creations < 20) answer.cut = true;
    };
    await counter.show(page, 'todas');
    await counter.createAll(page);
    await counter.expectOnce(guides, references);

    await counter.press(page, 'Imprimir etiquetas');
    const labels = await readLabel(await counter.savedFile(page, 1));
    expect(labels).toHaveLength(ORDERS);
    await counter.press(page, 'Resultado en Excel');
    const [headings, ...results] = readFile(await counter.savedFile(page, 2));
    expect(headings?.slice(0, 4)).toEqual(['Guía', 'Total (MXN)', 'Problema', 'Pedido']);
    expect(results.map(([number]) => number)).toEqual(
      labels.map(({ code128: [number] }) => number?.slice(0, 12)),
    );
    await counter.press(page, 'Resultado en CSV');
    const csv = (await counter.savedFile(page, 3)).toString();
    expect(csv).toContain(",'=cmd(),");
    expect(csv).not.toMatch(/,=cmd/);
    await counter.press(page, 'Hacer el manifiesto');
    await page.locator('::-p-xpath(//a[starts-with(., "Manifiesto M")])').click();
    await page.waitForFunction(`/^Manifiesto M/.test(document.querySelector('h1')?.textContent)`);
    // What was worked at is still there.
    await page.locator('nav a[href="#/varias"]').click();
    await page.waitForSelector('.despues');
    // What the proxy cut, and labels that the service asks to wait for: no name has run, and the page's policy stopped nothing.
    expect(failures.filter((failure) => !/crear|ERR_|status of (?:400|503)/.test(failure))).toEqual([]);
    await page.close();
  },
  10 * MINUTES,
);

test(
  'what is sent is answered before another file is chosen, or the creation goes on',
  async ({ browser, proxy, guides, orders }) => {
    const { path, references } = await orders('detener', 20);
    const { page } = await counter.openMany(browser, proxy.url);
    await counter.choose(page, path);
    const full = Promise.withResolvers<void>();
    proxy.alter = (answer) => {
      if (!isCreation(answer.path)) return;
      Object.assign(answer, { status: 503, headers: { 'retry-after': '5' }, body: Buffer.from('{}') });
      full.resolve();
    };
    await counter.pressCreate(page);
    await full.promise;
    await counter.press(page, 'Detener');
    await counter.show(page, 'todas');
    const offered = () =>
      page.$$eval('.crear button, .barra button:last-of-type', (buttons) =>
        buttons.map(({ textContent, ariaDisabled }) => [textContent, ariaDisabled]),
      );
    expect(await offered()).toEqual([
      ['Detener', 'true'],
      ['Otro archivo', 'true'],
    ]);
    proxy.alter = () => {};
    await counter.press(page, 'Continuar con 14 guías');
    await counter.untilCreated(page);
    expect(await page.$eval('.avance', ({ textContent }) => textContent)).toBe('Filas enviadas: 14 de 14');
    await counter.expectOnce(guides, references);
    await page.close();
  },
  3 * MINUTES,
);

test(
  'an order without a Referencia is made again once its own guide is cancelled',
  async ({ browser, api, demo, guides, orders }) => {
    const { path } = await orders('anulado', 2, right, 'Clave propia');
    const { page } = await counter.openMany(browser, api.url);
    const guideOf = async (row: number) => (await counter.rowsOn(page))[row]?.[2] as string;
    await counter.choose(page, path);
    await counter.createAll(page);
    const [cancelled, other] = [[await guideOf(0)], await guideOf(1)];
    for (let again = 0; again < 2; again++) {
      const { status } = await demo.post(`/api/guias/${cancelled.at(-1)}/cancelar`, '');
      expect(status).toBe(200);
      await counter.press(page, 'Otro archivo');
      await counter.choose(page, path);
      await page.waitForSelector('[aria-label="Crear la fila 2"]:not(:checked, :disabled)');
      await counter.checked(page);
      expect(await guideOf(0)).not.toContain('Ya hay una');
      await page.locator('[aria-label="Crear la fila 2"]').click();
      await counter.createAll(page);
      expect(await guideOf(1)).toBe(other);
      cancelled.push(await guideOf(0));
    }
    expect(new Set([...cancelled, other]).size).toBe(4);
    expect(await guides.countDocuments({ _id: { $in: [...cancelled, other] } as object })).toBe(4);
    await page.close();
  },
  3 * MINUTES,
);

test(
  'who may not read guides creates orders with a Referencia',
  async ({ browser, api, guides, orders, newUser }) => {
    const permissions = CUSTOMER_PERMISSIONS.filter((each) => each !== 'guias.read');
    await newUser('solo.crea', { account: 'demo', originBranch: 'MEX01', permissions });
    const { path, references } = await orders('solo', 2);
    const { page } = await counter.openMany(browser, api.url, 'solo.crea');
    await counter.choose(page, path);
    await counter.createAll(page);
    await counter.expectOnce(guides, references);
    await page.close();
  },
  3 * MINUTES,
);

describe('nothing is created twice', () => {
  test(
    'when the tab is killed after the third answer, and the same file is sent again',
    async ({ browser, proxy, guides, orders }) => {
      const { path, references } = await orders("'20-muerto", 20);
      const { page } = await counter.openMany(browser, proxy.url);
      await counter.choose(page, path);
      let answered = 0;
      proxy.alter = (answer) => {
        if (isCreation(answer.path) && ++answered > 3) answer.cut = true;
      };
      await counter.pressCreate(page);
      // The page has kept one answer at least.
      await page.waitForSelector('.despues');
      await page.close({ runBeforeUnload: false });
      proxy.alter = () => {};

      const { page: again } = await counter.openMany(browser, proxy.url);
      await counter.choose(again, path);
      const states = (await counter.rowsOn(again)).map(([, , state]) => state ?? '');
      const unknown = states.filter((state) => state.startsWith('Sin respuesta')).length;
      await counter.press(again, 'Resultado en CSV');
      const results = (await counter.savedFile(again, 1)).toString();
      expect(results.split('Sin respuesta: continúe para saberlo')).toHaveLength(unknown + 1);
      await counter.createAll(again);
      await counter.show(again, 'creadas');
      expect(await counter.rowsOn(again)).toHaveLength(20);
      const stored = references.map((reference) => reference.slice(1));
      await counter.expectOnce(guides, stored);
      await again.close();

      // Another browser, or another user, knows nothing but the account's guides.
      const context = await browser.createBrowserContext();
      const { page: other } = await counter.openMany(context, proxy.url, 'demo2');
      await counter.choose(other, path);
      await counter.show(other, 'fuera');
      await other.waitForFunction(`document.querySelectorAll('.tabla tbody tr:not(.hueco)').length === 20`);
      expect((await counter.rowsOn(other)).map(([, , state]) => state)).toEqual(
        Array.from({ length: 20 }, () => expect.stringMatching(/^Ya hay una: \d{12}\. ¿Otra\?$/)),
      );
      // A second guide is chosen for each row by itself.
      expect(await other.$eval('thead input', ({ disabled }) => disabled)).toBe(true);
      await context.close();
      await counter.expectOnce(guides, stored);
    },
    3 * MINUTES,
  );

  test(
    'when who sends a file without a Referencia is written otherwise',
    async ({ browser, api, orders }) => {
      const cells = (i: number) => [`Rosa Ruiz ${i}`, ...right(i).slice(1)];
      const { path } = await orders('otra vez', 3, cells, 'Clave propia');
      const { page } = await counter.openMany(browser, api.url);
      await counter.choose(page, path);
      await counter.createAll(page);
      const numbers = (await counter.rowsOn(page)).map(([, , state]) => state);
      await counter.press(page, 'Otro archivo');
      await counter.choose(page, path, 'Tienda del Norte');
      await page.waitForFunction(`!document.querySelector('.tabla tbody :checked')`);
      expect((await counter.rowsOn(page)).map(([, , state]) => state)).toEqual(
        numbers.map((number) => `Ya hay una: ${number}. ¿Otra?`),
      );
      await page.close();
    },
    3 * MINUTES,
  );

  test(
    'when two tabs send the same file at once',
    async ({ browser, api, guides, orders }) => {
      const { path, references } = await orders('doble', 12);
      const { page: first } = await counter.openMany(browser, api.url);
      await counter.choose(first, path);
      const { page: second } = await counter.openMany(browser, api.url);
      await counter.choose(second, path);
      await counter.pressCreate(second);
      await first.bringToFront();
      await counter.pressCreate(first);
      await expect.poll(() => guides.countDocuments({ 'guide.Referencia': { $in: references } })).toBe(12);
      for (const page of [first, second]) await page.close();
      await counter.expectOnce(guides, references);
    },
    3 * MINUTES,
  );

  test(
    'when the token ends in the middle, and the service is full',
    async ({ browser, proxy, guides, orders }) => {
      const { path, references } = await orders('token', 12);
      const { page } = await counter.openMany(browser, proxy.url);
      await counter.choose(page, path);
      const token = Promise.withResolvers<string>();
      page.on('request', (request) => {
        if (request.url().endsWith('/crear')) token.resolve(request.headers().authorization ?? '');
      });
      let refused = 0;
      proxy.alter = (answer) => {
        if (!isCreation(answer.path) || answer.status !== 200) return;
        // The guide exists, and its answer is lost.
        Object.assign(answer, {
          status: refused++ % 2 === 0 ? 429 : 503,
          headers: { 'retry-after': '1', 'content-type': 'application/json' },
        });
        answer.body = Buffer.from(
          JSON.stringify({ response: 'ERROR', message: 'Espere', codigo: 'saturado' }),
        );
      };
      await counter.pressCreate(page);
      const ended = await fetch(`${proxy.url}/api/auth/logout`, {
        method: 'POST',
        headers: { authorization: await token.promise },
      });
      expect(ended.status).toBe(200);
      await page.waitForSelector('dialog #clave');
      proxy.alter = () => {};
      await page.locator('dialog #clave').fill('demo1234');
      await page.keyboard.press('Enter');
      await counter.untilCreated(page);
      await counter.expectOnce(guides, references);
      await page.close();
    },
    3 * MINUTES,
  );

  test(
    'a bad row stops only itself',
    async ({ browser, proxy, guides, orders }) => {
      const { path, references } = await orders('malo', 8);
      const { page } = await counter.openMany(browser, proxy.url);
      await counter.choose(page, path);
      const [first] = references as [string];
      let refused: string | undefined;
      proxy.alter = (answer) => {
        if (!isCreation(answer.path) || refused !== undefined) return;
        refused = first;
        const details = [
          {
            indice: 0,
            campo: 'Destinatario.CodigoPostal',
            codigo: 'sin_cobertura',
            message: 'No hay cobertura',
          },
        ];
        Object.assign(answer, {
          status: 400,
          body: Buffer.from(
            JSON.stringify({
              response: 'ERROR',
              message: 'No hay cobertura',
              codigo: 'sin_cobertura',
              details,
            }),
          ),
        });
      };
      await counter.createAll(page);
      await counter.show(page, 'mal');
      expect((await counter.rowsOn(page)).map(([, , state]) => state)).toEqual([
        'No hay cobertura. Corregir: Código postal',
      ]);
      expect(await guides.countDocuments({ 'guide.Referencia': { $in: references } })).toBe(8);
      await page.close();
    },
    3 * MINUTES,
  );
});

test(
  'rows that could not be checked are not called right',
  async ({ browser, proxy, orders }) => {
    const { path } = await orders('duda', 3);
    const { page } = await counter.openMany(browser, proxy.url);
    proxy.alter = (answer) => {
      if (answer.path !== '/api/guias/validar') return;
      const body = { response: 'ERROR', message: 'No puede', codigo: 'sin_permiso' };
      Object.assign(answer, { status: 403, body: Buffer.from(JSON.stringify(body)) });
    };
    await counter.choose(page, path);
    expect(await counter.checked(page)).toBe('3 filas. 3 sin revisar.');
    proxy.alter = () => {};
    await counter.press(page, 'Revisar otra vez');
    await page.waitForFunction(`document.body.innerText.includes('Ninguna tiene problemas.')`);
    // What is not created is not lost without a word, also from another tab of the page.
    await page.locator('nav a[href="#/enviado"]').click();
    await page.waitForSelector('.enviado');
    await counter.press(page, 'Salir');
    await page.waitForFunction(`document.querySelector('dialog')?.innerText.includes('no ha terminado')`);
    await counter.press(page, 'Quedarse');
    const asked = Promise.withResolvers<string>();
    page.once('dialog', (dialog) => {
      asked.resolve(dialog.type());
      void dialog.accept();
    });
    await page.close({ runBeforeUnload: true });
    expect(await asked.promise).toBe('beforeunload');
  },
  MINUTES,
);

test(
  'what is pasted is read; its headings are mapped once, and what no row says is asked for once',
  async ({ browser, api }) => {
    const { page, failures } = await counter.openMany(browser, api.url);
    const paste = async (text: string) => {
      await page.locator('.pegar textarea').wait();
      await page.evaluate(
        `{ const data = new DataTransfer(); data.setData('text/plain', ${JSON.stringify(text)});
       document.querySelector('.pegar textarea').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })); }`,
      );
      await page.waitForSelector('#columna-0');
    };
    const meanings = () => page.$$eval('.columnas select', (selects) => selects.map(({ value }) => value));
    const field = (path: string) => `[id="${path}"]`;
    await paste('Clave rara\tNombre\tCP\nA-1\tLuis\t06600');
    expect(await meanings()).toEqual(['', 'Destinatario.Nombre', 'Destinatario.CodigoPostal']);
    await page.select('#columna-0', 'Referencia');
    await page.locator('.marcar input').click();
    await page.locator(field('Remitente.Nombre')).fill('Tienda');
    await page.locator(field('Remitente.CodigoPostal')).fill('99');
    await counter.press(page, 'Revisar las filas');
    await page.waitForSelector(`${field('Producto.Contenido')}[aria-invalid]:focus`);
    await page.locator(field('Producto.Contenido')).fill('Té');
    // What would be wrong in every row is said here.
    await page.waitForSelector(`${field('Remitente.CodigoPostal')}[aria-invalid]`);
    await counter.press(page, 'Revisar las filas');
    await page.waitForSelector(`${field('Remitente.CodigoPostal')}:focus`);
    await page.locator(field('Remitente.CodigoPostal')).fill('06600');
    await page.waitForSelector(`${field('Remitente.CodigoPostal')}:not([aria-invalid])`);
    await counter.press(page, 'Guardar este remitente');
    await counter.press(page, 'Revisar las filas');
    expect(await counter.checked(page)).toBe('1 fila. Ninguna tiene problemas.');
    // A cell is corrected, and the columns are asked about again.
    await page.locator('td[data-campo="Destinatario.Nombre"] button').click();
    await page.locator('input.edicion').fill('Luisa');
    await page.keyboard.press('Enter');
    await counter.press(page, 'Columnas y remitente');
    await page.waitForSelector('#columna-0');
    expect(await meanings()).toEqual(['Referencia', 'Destinatario.Nombre', 'Destinatario.CodigoPostal']);
    await counter.press(page, 'Revisar las filas');
    await counter.checked(page);
    expect((await counter.rowsOn(page))[0]?.slice(3, 5)).toEqual(['A-1', 'Luisa']);
    await counter.press(page, 'Otro archivo');
    await counter.press(page, 'Seguir sin guardar');
    const others = 'CLAVE RARA\tNombre\tCP\tclave rara\nA-2\tAna\t64000\tB-2';
    const pasteOthers = async () => {
      await paste(others);
      // The only sender that is kept.
      await page.waitForFunction(`document.getElementById('Remitente.Nombre')?.value === 'Tienda'`);
    };
    await pasteOthers();
    await page.select('#columna-3', 'Producto.Contenido');
    await page.locator('.marcar input').click();
    await counter.press(page, 'Revisar las filas');
    await counter.checked(page);
    await counter.press(page, 'Otro archivo');
    await paste(others.replace('CLAVE', 'Clave').replace('Nombre', 'NOMBRE'));
    await page.waitForFunction(`document.querySelector('.marcar input').checked`);
    expect(await meanings()).toEqual([
      '',
      'Destinatario.Nombre',
      'Destinatario.CodigoPostal',
      'Producto.Contenido',
    ]);
    // What is not to be kept any more is forgotten.
    await page.locator('.marcar input').click();
    await counter.press(page, 'Revisar las filas');
    await counter.checked(page);
    await counter.press(page, 'Otro archivo');
    await pasteOthers();
    expect((await meanings()).at(-1)).toBe('');
    await counter.press(page, 'Otro archivo');
    await counter.press(page, 'Bajar un archivo de ejemplo');
    expect(readFile(await counter.savedFile(page, 1))[1]).toContain('06600');
    // What the service refuses, and a postal code of which it knows no place.
    expect(failures.filter((failure) => !/status of 40[04]/.test(failure))).toEqual([]);
    await page.close();
  },
  2 * MINUTES,
);

test(
  'it is read on a phone, in the dark, and by everybody',
  async ({ browser, api, orders }) => {
    const { path } = await orders('vista', 40, dirty);
    // Nobody has kept a sender in it.
    const context = await browser.createBrowserContext();
    const { page } = await counter.openMany(context, api.url);
    const look = (name: string) => lookAtAll(page, `mostrador-varias-${name}`);
    await look('elegir');
    const input = await page.waitForSelector('input[type=file]');
    await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(path);
    await page.waitForSelector('#columna-0');
    await counter.press(page, 'Revisar las filas');
    await page.waitForSelector('[aria-invalid]:focus');
    await look('columnas');
    await page.locator('[aria-invalid]').fill('Tienda');
    await counter.press(page, 'Revisar las filas');
    await counter.checked(page);
    await page.locator('.tabla tbody tr:nth-child(2) td:nth-child(4) button').click();
    await page.locator('input.edicion').fill('vista-');
    await page.evaluate(`document.querySelector('.tabla').scrollTop = 1e6`);
    await page.waitForFunction(
      `[...document.querySelectorAll('.tabla td:nth-child(2)')].at(-1)?.textContent === '41'`,
    );
    await page.keyboard.type('leída');
    await page.keyboard.press('Enter');
    await page.waitForFunction(`document.querySelector('.activa button')?.textContent === 'vista-3'`);
    // The rows above are drawn again once the table has scrolled back.
    await expect.poll(async () => (await counter.rowsOn(page))[1]?.[3]).toBe('vista-leída');
    const chosen = () => page.$$eval('.tabla tbody input:checked', ({ length }) => length);
    const drawn = await chosen();
    await page.locator('.tabla thead input').click();
    expect([await chosen(), await page.$('.crear button')]).toEqual([0, null]);
    await page.locator('.tabla thead input').click();
    expect(await chosen()).toBe(drawn);
    await look('filas');
    await context.close();
  },
  3 * MINUTES,
);

async function lookAtAll(page: Page, name: string): Promise<void> {
  for (const width of [360, 768, 1280]) await lookAt(page, name, { width, height: 900 });
}
