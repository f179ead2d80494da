import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'puppeteer-core';
import { expect, inject } from 'vitest';
import { preview } from '#local/labels-preview.ts';
import { browserFixture, screenshot } from '#test/fixtures/browser.ts';
import { test as folderTest } from '#test/fixtures/folder.ts';

/** `npm run labels:preview` in a browser. */

const test = folderTest.extend('browser', { scope: 'file' }, browserFixture);

const USUAL = 'img[src^="medium-usual"]';

/** The dots that the page shows of a sample, once they are loaded. */
async function picture(page: Page, out: string): Promise<string> {
  await page.waitForFunction(`document.querySelector('${USUAL}')?.naturalWidth > 0`);
  return (await readFile(join(out, 'medium-usual.png'))).toString('base64');
}

test('shows the labels, or what is wrong with a template', async ({ browser, folder }) => {
  const [templates, out] = [join(folder, 'templates'), join(folder, 'out')];
  await mkdir(templates);
  const file = join(templates, 'medium.hbs');
  await copyFile('examples/templates/html/medium.hbs', file);
  const source = await readFile(file, 'utf8');
  const print = () => preview({ templates, out, executablePath: inject('chromiumPath') });
  const { index, problems } = await print();
  expect(problems).toEqual([]);
  const page = await browser.newPage();
  await page.goto(pathToFileURL(index).href);
  const before = await picture(page, out);
  await screenshot(page, 'labels-preview');

  /** Changes the folder, and prints again. @returns the problems that the page shows. */
  const after = async (change: Promise<void>): Promise<string[]> => {
    await change;
    await print();
    await page.reload();
    return page.$$eval('.problem', (shown) => shown.map((element) => element.textContent ?? ''));
  };
  expect(await after(writeFile(file, source.replace('>DESTINO<', '>ENTREGAR EN<')))).toEqual([]);
  expect(await picture(page, out)).not.toBe(before);

  const line = source.split('\n').findIndex((text) => text.includes('destination.name')) + 1;
  expect(await after(writeFile(file, source.replace('destination.name', 'destination.nme')))).toEqual([
    `${file}:${line}: there is no field "nme"`,
  ]);
  await screenshot(page, 'labels-preview-problem');
  expect(await after(writeFile(join(templates, 'medum.hbs'), ''))).toContain(
    `${templates}/medum.hbs: this is not the name of a template; those are letter.hbs, small.hbs, medium.hbs`,
  );
});
