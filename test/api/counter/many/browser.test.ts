import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { describe, expect } from 'vitest';
import { readFile } from '#services/api/counter/browser/many/reading/read-file.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import { startAlteringProxy } from '#test/fixtures/altering-proxy.ts';
import { lookAt } from '#test/fixtures/axe.ts';
import { readLabel } from '#test/fixtures/labels/label-pixels.ts';
import { printingTest } from '#test/fixtures/services.ts';
import * as counter from './counter-tab.ts';
import { windows1252 } from './exports.ts';

/** From a file with mistakes to printed labels, whatever fails on the way. */

/** Orders of the file with mistakes. */
const ORDERS = 30;
const MINUTES = 60_000;

const test = printingTest
  .extend('guides', { scope: 'file' }, ({ stores }) => stores.mongo.collection<GuideDocument>('guides'))
  .extend('proxy', async ({ api }, { onCleanup }) => {
    const proxy = await startAlteringProxy(api.url);
    onCleanup(() => proxy.close());
    return proxy;
  })
  /** Writes a file of orders. @returns its path, and the Referencia of each. */
  .extend(
    'orders',
    ({ folder }) =>
      async (name: string, count: number, cells: (i: number) => string[] = right) => {
        const references = Array.from({ length: count }, (_, i) => `${name}-${i + 1}`);
        const lines = references.map((reference, i) => [reference, ...cells(i)].join(';'));
        const path = join(folder, `${name}.csv`);
        await writeFile(
          path,
          windows1252(['Pedido;Nombre;C.P.;Teléfono;Descripción;Peso', ...lines, ''].join('\r\n')),
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
    await counter.show(page, 'mal');
    const corrections: Record<number, [string, string]> = {
      1: ['Código postal', '64000'],
      3: ['Teléfono fijo', '5512345678'],
      5: ['Contenido', 'Té'],
      7: ['Peso', '1.234'],
    };
    for (let i = 0; i < ORDERS; i++) {
      const correction = corrections[i % 10];
      if (correction) await counter.correctCell(page, i + 2, ...correction);
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
    expect(headings?.slice(0, 4)).toEqual(['Guía', 'Total (MXN)', 'Problema', 'Servicio']);
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
    // What the proxy cut is all that failed: no name has run, and the page's policy stopped nothing.
    expect(failures.filter((failure) => !/crear|ERR_|status of 400/.test(failure))).toEqual([]);
    await page.close();
  },
  10 * MINUTES,
);

describe('nothing is created twice', () => {
  test(
    'when the tab is killed after the third request, and the same file is sent again',
    async ({ browser, proxy, guides, orders }) => {
      const { path, references } = await orders('muerto', 20);
      const { page } = await counter.openMany(browser, proxy.url);
      await counter.choose(page, path);
      let answered = 0;
      const third = Promise.withResolvers<void>();
      proxy.alter = (answer) => {
        if (isCreation(answer.path) && ++answered === 3) third.resolve();
      };
      await counter.pressCreate(page);
      await third.promise;
      await page.close({ runBeforeUnload: false });

      const { page: again } = await counter.openMany(browser, proxy.url);
      await counter.choose(again, path);
      await counter.createAll(again);
      await counter.show(again, 'creadas');
      expect(await counter.rowsOn(again)).toHaveLength(20);
      await counter.expectOnce(guides, references);
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
      await context.close();
      await counter.expectOnce(guides, references);
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
      const refusals = [429, 503];
      proxy.alter = (answer) => {
        const status = isCreation(answer.path) && refusals.shift();
        if (!status) return;
        // The guide exists, and its answer is lost.
        Object.assign(answer, {
          status,
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
      expect((await counter.rowsOn(page)).map(([, , state]) => state)).toEqual(['No hay cobertura']);
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
    await page.close();
  },
  MINUTES,
);

test(
  'headings that were mapped by hand are kept, and what is pasted is read',
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
    await paste('Clave rara\tNombre\tCP\nA-1\tLuis\t06600');
    expect(await meanings()).toEqual(['', 'Destinatario.Nombre', 'Destinatario.CodigoPostal']);
    await page.select('#columna-0', 'Referencia');
    await page.locator('.marcar input').click();
    await counter.press(page, 'Revisar las filas');
    await counter.checked(page);
    // What is missing in every row is a problem of its cell.
    expect((await counter.rowsOn(page))[0]?.join()).toContain('Contenido');
    await counter.press(page, 'Otro archivo');
    await paste('Clave rara\tNombre\tCP\nA-2\tAna\t64000');
    await page.waitForFunction(`document.querySelector('#columna-0')?.value === 'Referencia'`);
    await counter.press(page, 'Otro archivo');
    await counter.press(page, 'Bajar un archivo de ejemplo');
    expect(readFile(await counter.savedFile(page, 1))[1]).toContain('06600');
    expect(failures.filter((failure) => !/status of 400/.test(failure))).toEqual([]);
    await page.close();
  },
  2 * MINUTES,
);

test(
  'it is read on a phone, in the dark, and by everybody',
  async ({ browser, api, orders }) => {
    const { path } = await orders('vista', 40, dirty);
    const { page } = await counter.openMany(browser, api.url);
    const look = (name: string) => lookAtAll(page, `mostrador-varias-${name}`);
    await look('elegir');
    const input = await page.waitForSelector('input[type=file]');
    await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(path);
    await page.waitForSelector('#columna-0');
    await look('columnas');
    await counter.press(page, 'Revisar las filas');
    await counter.checked(page);
    await page.locator('.tabla tbody tr:nth-child(2) td:nth-child(5) button').click();
    await page.keyboard.press('Escape');
    await look('filas');
    await page.close();
  },
  3 * MINUTES,
);

async function lookAtAll(page: Page, name: string): Promise<void> {
  for (const width of [360, 768, 1280]) await lookAt(page, name, { width, height: 900 });
}
