import type { Browser, BrowserContext, Page } from 'puppeteer-core';
import { expect } from 'vitest';
import { openTab } from '#test/fixtures/browser.ts';

/** The tab "Varias guías" of the counter, as a person uses it. */

export const PASSWORD = 'demo1234';

/** Logs in, with the keyboard alone. */
export async function openMany(browser: Browser | BrowserContext, url: string, username = 'demo') {
  const { page, failures } = await openTab(browser as Browser);
  await page.setViewport({ width: 1280, height: 900 });
  // The page's policy forbids a test to fetch what is saved.
  await page.evaluateOnNewDocument(`
    const { createObjectURL } = URL;
    window.saved = [];
    URL.createObjectURL = (blob) => (saved.push(blob), createObjectURL.call(URL, blob));
  `);
  await page.goto(`${url}/mostrador#/varias`);
  await page.locator('#usuario').fill(username);
  await page.locator('#clave').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.waitForSelector('.varias');
  return { page, failures };
}

/** Chooses a file, and says who sends its parcels. */
export async function choose(page: Page, path: string, sender = 'Tienda del Centro'): Promise<void> {
  const input = await page.waitForSelector('input[type=file]');
  await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(path);
  await page.locator('[id="Remitente.Nombre"]').fill(sender);
  for (const side of ['Largo', 'Alto', 'Ancho']) await page.locator(`[id="Producto.${side}"]`).fill('20');
  await press(page, 'Revisar las filas');
  await checked(page);
}

/** Waits until the rows are checked, or could not be. */
export async function checked(page: Page): Promise<string> {
  const said = await page.waitForFunction(
    `[...document.querySelectorAll('.varias [role=status]')].map((each) => each.textContent).find((text) => /(problemas|sin revisar)\\.$/.test(text))`,
    { timeout: 120_000 },
  );
  return (await said.jsonValue()) as string;
}

export async function press(page: Page, name: string): Promise<void> {
  await page
    .locator(`::-p-xpath(//button[starts-with(normalize-space(), "${name}")][not(@aria-disabled)])`)
    .click();
}

/** Shows the rows of a filter, `mal` or `creadas`, once there are some. */
export async function show(page: Page, filter: string): Promise<void> {
  await page.waitForSelector(`.barra option[value="${filter}"]`);
  await page.select('.barra select', filter);
}

/** Returns the rows that are drawn, as texts of their cells. */
export async function rowsOn(page: Page): Promise<string[][]> {
  return (await page.evaluate(
    `[...document.querySelectorAll('.tabla tbody tr:not(.hueco)')].map((row) => [...row.cells].map((cell) => cell.textContent))`,
  )) as string[][];
}

/** Returns which cell is being written, once it is wholly in sight. */
export async function cellInSight(page: Page): Promise<string> {
  const name = await page.waitForFunction(`(() => {
    const cell = document.activeElement;
    if (!cell.matches('input.edicion')) return;
    const [inner, outer] = [cell, cell.closest('.tabla')].map((each) => each.getBoundingClientRect());
    const isSeen = inner.left >= outer.left && inner.top >= outer.top && inner.right <= outer.right && inner.bottom <= outer.bottom;
    return isSeen && cell.ariaLabel;
  })()`);
  return (await name.jsonValue()) as string;
}

/** Creates what is chosen, and waits for the end. @returns how many are created now. */
export async function createAll(page: Page): Promise<void> {
  await pressCreate(page);
  await untilCreated(page);
}

export async function pressCreate(page: Page): Promise<void> {
  await page.locator('::-p-xpath(//section[@aria-label="Crear"]//button[not(@aria-disabled)])').click();
}

export async function untilCreated(page: Page): Promise<void> {
  await page.waitForFunction(
    `document.querySelector('.avance') && !document.querySelector('.crear button') && !/Creando/.test(document.querySelector('.crear').textContent)`,
    { timeout: 120_000 },
  );
}

/** Returns the last file that the page has saved. */
export async function savedFile(page: Page, count: number): Promise<Buffer> {
  await page.waitForFunction(`saved.length >= ${count}`, { timeout: 60_000 });
  const bytes = await page.evaluate('saved.at(-1).arrayBuffer().then((bytes) => [...new Uint8Array(bytes)])');
  return Buffer.from(bytes as number[]);
}

/** Expects that each order has one guide. */
export async function expectOnce(
  guides: { find(filter: object): { toArray(): Promise<object[]> } },
  references: readonly string[],
) {
  const found = (await guides.find({ 'guide.Referencia': { $in: references } }).toArray()) as {
    guide: { Referencia: string };
  }[];
  expect(found.map(({ guide }) => guide.Referencia).toSorted()).toEqual(references.toSorted());
}
