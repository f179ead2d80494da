import type { Page } from 'puppeteer-core';
import { expect } from 'vitest';
import { DEMO_PASSWORD } from '#local/demo-data.ts';
import { UserStore } from '#shared/accounts/user-store.ts';
import { openTab } from '#test/fixtures/browser.ts';
import { Visitor } from '#test/fixtures/dashboard/visitor.ts';
import { userMaker } from '#test/fixtures/new-user.ts';
import { printingTest } from '#test/fixtures/services.ts';

/** Somebody who supports customers sees the label of another account, and prints it again. */

const test = printingTest
  .extend('linking', { scope: 'file' }, ({ api, startDashboard }) => startDashboard({ PUBLIC_URL: api.url }))
  .extend('page', async ({ browser }, { onCleanup }) => {
    const { page } = await openTab(browser);
    onCleanup(() => page.close());
    return page;
  });

const follow = (page: Page, target: string) =>
  Promise.all([page.waitForNavigation(), page.locator(target).click()]);

test('a guide leads to its label, by the rights of whoever looks, with a trail', async ({
  linking,
  number,
  page,
  stores: { mongo },
}) => {
  await page.goto(`${linking.url}/entrar`);
  await page.locator('#usuario').fill('soporte');
  await page.locator('#contrasena').fill(DEMO_PASSWORD);
  await follow(page, 'main button');
  await page.goto(`${linking.url}/soporte/guia/${number}`);
  await follow(page, 'a[href*="/mostrador"]');
  await page.locator('#usuario').fill('soporte');
  await page.locator('#clave').fill(DEMO_PASSWORD);
  await page.keyboard.press('Enter');
  await page.locator('::-p-xpath(//button[contains(., "Imprimir etiqueta")])').click();
  await page.waitForSelector(`iframe[title*="${number}"]`);
  const trail = () =>
    mongo.collection('audit').distinct('action', { actor: 'soporte', action: /^(label|support)/ });
  await expect.poll(trail).toEqual(['label.read-other', 'support.guide']);
});

test('whoever may not print it is told who may', async ({ linking, number, stores: { mongo } }) => {
  const newUser = await userMaker(new UserStore(mongo), DEMO_PASSWORD);
  await newUser('mesa', { permissions: ['soporte.read', 'guias.read'] });
  const visitor = new Visitor(linking.url);
  await visitor.login('mesa');
  const { text } = await visitor.page(`/soporte/guia/${number}`);
  expect(text).not.toContain('/mostrador');
  expect(text).toContain('La ven e imprimen, en el mostrador de la API, los usuarios con');
});
