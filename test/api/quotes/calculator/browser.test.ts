import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { quotes } from '#services/api/quotes/room.ts';
import { DatabaseClock } from '#shared/stores/database-clock.ts';
import { lookAtEach } from '#test/fixtures/axe.ts';
import { openTab } from '#test/fixtures/browser.ts';
import { test as services } from '#test/fixtures/services.ts';
import { demoTariff } from '../tariffs/demo-tariff.ts';

const NARROW = { width: 320, height: 640 };
const PHONE = { width: 390, height: 844 };
const WIDE = { width: 1280, height: 900 };

const PARCEL = 'origen=06600&destino=64000&peso=2.5&largo=30&alto=20&ancho=15&valor=1500';
const PATHS = {
  cotizador: '/cotizador',
  'cotizador-precios': `/cotizador?${PARCEL}`,
  'cotizador-largo':
    '/cotizador?origen=22000&destino=64000&peso=45&largo=120&alto=20&ancho=15&valor=999999999&paquetes=99',
  'cotizador-errores':
    '/cotizador?origen=0660&destino=&peso=0&largo=30&alto=x&ancho=9000&valor=-4&paquetes=2.5',
  'cotizador-sin-cobertura': `/cotizador?${PARCEL.replace('64000', '99999')}`,
} as const;
type Name = keyof typeof PATHS;

const test = services
  .extend('settings', { TRUST_PROXY: '1' })
  .extend('open', { scope: 'file' }, ({ api, browser }) => {
    let visitors = 0;
    return async (name: Name, viewport = WIDE) => {
      const { page, failures } = await openTab(browser);
      await page.setExtraHTTPHeaders({ 'x-forwarded-for': `10.9.${visitors++}.1` });
      await page.setViewport(viewport);
      await page.goto(api.url + PATHS[name]);
      return { page, failures: failures.filter((text) => !text.includes('400')) };
    };
  });

const FOCUSED = 'document.activeElement.id';

describe('the quote page in a browser', () => {
  test.for(Object.keys(PATHS) as Name[])(
    '%s has no finding of axe, in light and dark, and fits from 320 px on',
    async (name, { open }) => {
      const { page, failures } = await open(name);
      await lookAtEach(page, name, [NARROW, PHONE, WIDE]);
      expect(failures).toEqual([]);
      await page.close();
    },
  );

  test('is used by keyboard: the fields in their order, then the prices', async ({ open }) => {
    const { page } = await open('cotizador', PHONE);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Ver un ejemplo');
    for (const [name, text] of new URLSearchParams(PARCEL)) {
      await page.keyboard.press('Tab');
      expect(await page.evaluate(FOCUSED)).toBe(name);
      await page.keyboard.type(text);
    }
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    expect(await page.evaluate('document.querySelector("h1").textContent')).toBe('De 06600 a 64000');
    // What was asked stands in the address, so that it can be sent to somebody.
    expect(new URL(page.url()).search).toBe(`?${PARCEL}&paquetes=`);
    await page.close();
  });

  test('leads to the first field that is wrong, with what it allows', async ({ open }) => {
    const { page } = await open('cotizador-errores');
    await page.waitForFunction(`${FOCUSED} === 'origen'`);
    const described =
      "document.getElementById(document.activeElement.getAttribute('aria-describedby')).textContent";
    expect(await page.evaluate(described)).toBe('El código postal tiene 5 dígitos.');
    expect(await page.evaluate("document.querySelectorAll('[aria-invalid=true]').length")).toBe(7);
    await page.close();
  });

  test('says what stands where to who hears it', async ({ open }) => {
    const { page } = await open('cotizador-precios');
    const levels = "[...document.querySelectorAll('h1,h2,h3')].map(({ tagName }) => tagName).join()";
    expect(await page.evaluate(levels)).toBe('H1,H2,H2,H2');
    const named =
      "[...document.querySelectorAll('[aria-labelledby]')].map((one) => document.getElementById(one.getAttribute('aria-labelledby')).textContent)";
    expect(await page.evaluate(named)).toEqual(['A domicilio', 'Recoger en sucursal']);
    await page.close();
  });
});

/** `UPDATE_PICTURES=1 npm test -- test/api/quotes/calculator/browser` takes the pictures of the documents anew. */
if (process.env.UPDATE_PICTURES) {
  test('pictures for the documents', async ({ api, open }) => {
    vi.spyOn(DatabaseClock.prototype, 'estimate').mockReturnValue(Date.parse('2026-11-24T16:00:00Z'));
    vi.spyOn(api.contextOf(quotes).tariffs, 'at').mockReturnValue({ version: 12, tariff: demoTariff });
    const pictures = {
      'cotizador-telefono': { width: 390, height: 800 },
      cotizador: { width: 1024, height: 800 },
    };
    for (const [name, viewport] of Object.entries(pictures)) {
      const { page } = await open('cotizador-precios', viewport);
      await writeFile(join(repoRoot, 'docs/pictures', `${name}.png`), await page.screenshot());
      await page.close();
    }
    vi.restoreAllMocks();
  });
}
