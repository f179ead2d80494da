import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { describe, expect } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { KINDS } from '#shared/labels/label-kinds.ts';
import { lookAtEach } from '#test/fixtures/axe.ts';
import { openTab, screenshot } from '#test/fixtures/browser.ts';
import { readLabel } from '#test/fixtures/labels/label-pixels.ts';
import { printingTest as services } from '#test/fixtures/services.ts';

/** The page to try requests, as a person uses it who has read nothing. */

const test = services.extend('tab', { scope: 'file' }, async ({ api, browser }) => {
  const { page, failures } = await openTab(browser);
  await page.setViewport({ width: 1280, height: 900 });
  // The page's policy forbids a test to fetch what is shown.
  await page.evaluateOnNewDocument(`
    const { createObjectURL } = URL;
    URL.createObjectURL = (shown) => createObjectURL.call(URL, (window.shown = shown));
  `);
  await page.goto(`${api.url}/api/docs/probar`);
  return { page, failures };
});

const STATE = (step: string) => `section:has([data-paso="${step}"]) .estatus`;

/** Fills in a step's fields, sends it, and returns what it says of the answer. */
async function run(page: Page, step: string, fields: Record<string, string> = {}): Promise<string> {
  const form = `form[data-paso="${step}"]`;
  for (const [name, value] of Object.entries(fields))
    await page.locator(`${form} [name="${name}"]`).fill(value);
  await page.$eval(STATE(step), (state) => state.replaceChildren());
  await page.locator(`${form} button`).click();
  return answerTo(page, step);
}

async function answerTo(page: Page, step: string): Promise<string> {
  await page.waitForFunction(`/ ms$/.test(document.querySelector('${STATE(step)}').textContent)`);
  return page.$eval(STATE(step), ({ textContent }) => textContent ?? '');
}

/** Returns the text of the answer that a step shows. */
function shownBy(page: Page, step: string): Promise<string> {
  return page.$eval(`section:has([data-paso="${step}"]) .contenido`, ({ textContent }) => textContent ?? '');
}

/** Returns the guide that the page carries on. */
function guideIn(page: Page): Promise<string> {
  return page.evaluate(
    `document.querySelector('[data-paso="etiqueta"] [name="guia"]').value`,
  ) as Promise<string>;
}

const LOGIN = { usuario: 'prueba', clave: 'demo1234' };

describe('/api/docs/probar in a browser', () => {
  test('logs in and creates a guide', async ({ tab: { page } }) => {
    expect(await run(page, 'entrar', LOGIN)).toMatch(/^200 · Login exitoso · \d+ ms$/);
    expect(await run(page, 'crear')).toMatch(/^200 · /);
    expect(await guideIn(page)).toMatch(/^0\d{11}$/);
  });

  test.for(Object.values(KINDS))(
    'shows the PDF and the PNG of $path for the guide that was just made',
    async ({ path, pagePerPackage }, { tab: { page, failures } }) => {
      const number = await guideIn(page);
      expect(await run(page, 'etiqueta', { tipo: path, formato: 'pdf' })).toMatch(/^200 · /);
      const bytes = await page.evaluate('shown.arrayBuffer().then((bytes) => [...new Uint8Array(bytes)])');
      const [label] = await readLabel(Buffer.from(bytes as number[]));
      expect(label?.code128).toEqual([pagePerPackage ? `${number}-01` : number]);
      await page.waitForSelector('.contenido object[data^="blob:"][type="application/pdf"]');
      await run(page, 'etiqueta', { formato: 'png' });
      await page.waitForFunction(`document.querySelector('.contenido img')?.naturalWidth > 700`);
      await screenshot(page, `probar-${path}`);
      expect(failures).toEqual([]);
    },
  );

  test('carries the guide on: it is simulated, followed, and asked for by any operation', async ({
    tab: { page },
  }) => {
    expect(await run(page, 'simular', { escenario: 'ausente' })).toContain('200 · Eventos: 6');
    expect(await run(page, 'eventos')).toContain('200 · Eventos: 6');
    expect(await shownBy(page, 'eventos')).toContain('destinatario_ausente');
    expect(await run(page, 'otra', { operacion: 'obtenerGuia' })).toContain('200 · Guia encontrada');
    expect(await shownBy(page, 'otra')).toContain('"SEND_ESTATUS": "Entregado"');
    expect(await run(page, 'otra', { operacion: 'listarGuias' })).toContain('200 · Guias: 1');
    expect(await run(page, 'otra', { operacion: 'cotizarGuias' })).toContain('200 · ');
  });

  test('says what to do about an error', async ({ tab: { page } }) => {
    const path = '/api/sucursales/cobertura/99999';
    expect(await run(page, 'otra', { operacion: 'consultarCobertura', ruta: path })).toContain(
      '404 · No hay cobertura',
    );
    const href = await page.$eval('.contenido a[href*="errores"]', (link) => link.getAttribute('href'));
    expect(href).toBe('/api/docs/errores#sin_cobertura');
  });

  test('fits every screen and has no finding of axe, with every answer shown', async ({ tab: { page } }) => {
    await lookAtEach(
      page,
      'probar',
      [320, 768, 1280].map((width) => ({ width, height: 900 })),
    );
  });

  test('stores nothing', async ({ tab: { page } }) => {
    expect(await page.evaluate('[document.cookie, localStorage.length, sessionStorage.length]')).toEqual([
      '',
      0,
      0,
    ]);
  });

  test('is used by keyboard alone', async ({ api, browser }) => {
    const { page } = await openTab(browser);
    await page.goto(`${api.url}/api/docs/probar`);
    const tabTo = async (name: string) => {
      const isThere = `document.activeElement.matches('${name}')`;
      for (let i = 0; i < 80 && !(await page.evaluate(isThere)); i++) await page.keyboard.press('Tab');
      expect([name, await page.evaluate(isThere)]).toEqual([name, true]);
    };
    await tabTo('[name="usuario"]');
    await page.keyboard.type(LOGIN.usuario);
    await tabTo('[name="clave"]');
    await page.keyboard.type(LOGIN.clave);
    await page.keyboard.press('Enter');
    expect(await answerTo(page, 'entrar')).toContain('200');
    await tabTo('[data-paso="crear"] button');
    await page.keyboard.press('Space');
    expect(await answerTo(page, 'crear')).toContain('200');
    await tabTo('[name="formato"]');
    await page.keyboard.type('png');
    await tabTo('[data-paso="etiqueta"] button');
    await page.keyboard.press('Enter');
    expect(await answerTo(page, 'etiqueta')).toContain('200');
    await page.waitForFunction(`document.querySelector('.contenido img')?.naturalWidth > 700`);
    await page.close();
  });
});

/** `UPDATE_PICTURES=1 npm test -- test/api/manual/try-page` takes the picture of the documents anew. */
if (process.env.UPDATE_PICTURES) {
  test('picture for the documents', async ({ tab: { page } }) => {
    await page.setViewport({ width: 1040, height: 1080 });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
    await run(page, 'entrar', LOGIN);
    await run(page, 'crear');
    await run(page, 'etiqueta', { tipo: KINDS.small.path, formato: 'png' });
    await page.waitForFunction(`document.querySelector('.contenido img')?.naturalWidth > 700`);
    await page.evaluate(`document.querySelector('section:has([data-paso="etiqueta"])').scrollIntoView()`);
    await writeFile(join(repoRoot, 'docs/pictures/probar.png'), await page.screenshot());
  });
}
