import type { Page } from 'puppeteer-core';
import { expect } from 'vitest';
import { DEMO_PASSWORD } from '#local/demo-data.ts';
import { pathOf, put } from '#test/api/evidence/fixture.ts';
import { lookAt } from '#test/fixtures/axe.ts';
import { BROKEN_WORDS, FITS, openTab } from '#test/fixtures/browser.ts';
import { fullGuide } from '#test/fixtures/client.ts';
import { event, test as eventTest } from '#test/fixtures/events.ts';

/** Tests with a person in a browser who supports customers, and a guide of which a label was refused. */
const test = eventTest
  .extend('labelTimeouts', { scope: 'file' }, { label: 1_000, file: 1_000 }) // no worker prints
  .extend('troubled', { scope: 'file' }, async ({ demo, newGuide, register, scanner, stores }) => {
    await demo.post('/api/webhooks', { Url: 'https://tienda.example/avisos' });
    await newGuide();
    const number = await newGuide({ ...fullGuide(), Referencia: 'PEDIDO-1042' });
    await register(event(number, 'Incidencia', { Motivo: 'danado', Id: 'danado' }));
    await put(scanner, pathOf(number, 'danado', 'foto1'));
    const refused = await demo.get(`/api/guias/etiqueta-10x15/${number}`);
    const kept = () => stores.cache.llen(`${stores.prefix}:answers:guide:${number}`);
    await expect.poll(kept).toBe(1);
    return { number, codigo: `${refused.body.codigo}` };
  })
  .extend('tab', async ({ browser, dashboard, troubled }, { onCleanup }) => {
    expect(troubled.codigo).toMatch(/^[a-z_]+$/);
    const tab = await openTab(browser);
    onCleanup(() => tab.page.close());
    await tab.page.setViewport({ width: 1200, height: 900 });
    await tab.page.goto(dashboard.url);
    await tab.page.locator('#usuario').fill('soporte');
    await tab.page.locator('#contrasena').fill(DEMO_PASSWORD);
    await press(tab.page, 'main button');
    return tab;
  });

/** Waits for the page that a click leads to. */
async function press(page: Page, target: string): Promise<void> {
  await Promise.all([page.waitForNavigation(), page.locator(target).click()]);
}

async function expectGoodPage(page: Page, name: string): Promise<void> {
  for (const width of [320, 720, 1280]) {
    await page.setViewport({ width, height: 900 });
    expect([name, width, await page.evaluate(FITS)]).toEqual([name, width, true]);
    expect([name, width, await page.evaluate(BROKEN_WORDS)]).toEqual([name, width, []]);
    if (width === 720) continue; // tables are narrowest there, and all else is as on wide screens
    await lookAt(page, `support-${name}`, { width, height: 900 });
  }
}

test('a guide, its refusals and its webhook are three clicks away; every page is for everybody', async ({
  tab: { page, failures },
  troubled: { number, codigo },
}) => {
  await page.locator('#buscar').fill('PEDIDO-1042');
  await press(page, '.buscar button'); // the first click
  expect(page.url()).toMatch(`/soporte/guia/${number}`);
  for (const text of ['Incidencia', 'El paquete está dañado', codigo, 'tienda.example'])
    expect(await page.$eval('main', (main) => main.textContent)).toContain(text);
  await expectGoodPage(page, 'guide');

  await press(page, 'main form button'); // the second: personal data
  const { Nombre } = fullGuide().Destinatario;
  expect(await page.$eval('main', (main) => main.textContent)).toContain(Nombre);
  await expectGoodPage(page, 'persons');

  await press(page, 'a[href^="/soporte/webhooks"]'); // the third
  expect(await page.$eval('h1', (h1) => h1.textContent)).toBe('Webhooks de demo');
  await expectGoodPage(page, 'webhooks');

  await press(page, 'a[href="/soporte"]');
  await page.locator('#buscar').fill('luis');
  await press(page, '.buscar button');
  expect(await page.$eval('main', (main) => main.textContent)).toContain('Lu… Pe…');
  await expectGoodPage(page, 'people');

  await page.locator('#buscar').fill('nunca-vista');
  await press(page, '.buscar button');
  expect(await page.$eval('main', (main) => main.textContent)).toContain('Ninguna guía tiene ese número.');
  await expectGoodPage(page, 'nothing');
  expect(failures).toEqual([]);
});
