import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { expect, inject } from 'vitest';
import { watchPreview } from '#services/label-worker/preview/watch-preview.ts';
import { browserFixture, screenshot } from '#test/fixtures/browser.ts';
import { test as folderTest } from '#test/fixtures/folder.ts';

/** `npm run labels:preview -- --watch` in a browser. */

const test = folderTest
  .extend('browser', { scope: 'file' }, browserFixture)
  .extend('preview', { scope: 'file' }, async ({ folder }, { onCleanup }) => {
    await copyFile('examples/templates/html/medium.hbs', join(folder, 'medium.hbs'));
    const preview = await watchPreview({
      templates: folder,
      executablePath: inject('chromiumPath'),
      port: 0,
    });
    onCleanup(() => preview.close());
    return preview;
  });

const USUAL = 'img[src^="medium-usual"]';

/** The bytes of the picture that the page shows of a case, once it is loaded. */
async function picture(page: Page): Promise<string> {
  await page.waitForFunction(`document.querySelector('${USUAL}')?.naturalWidth > 0`);
  const src = await page.$eval(USUAL, (image) => (image as unknown as { src: string }).src);
  return Buffer.from(await (await fetch(src)).arrayBuffer()).toString('base64');
}

/** Saves the template, and waits until the page has reloaded. */
async function save(page: Page, file: string, text: string): Promise<void> {
  const reloaded = page.waitForNavigation({ waitUntil: 'domcontentloaded' });
  await writeFile(file, text);
  await reloaded;
}

test('shows the labels, and shows them anew when a template changes or is wrong', async ({
  browser,
  folder,
  preview,
}) => {
  const file = join(folder, 'medium.hbs');
  const source = await readFile(file, 'utf8');
  const page = await browser.newPage();
  await page.setViewport({ width: 1_280, height: 900 });
  await page.goto(`${preview.url}#medium`);
  const before = await picture(page);
  await screenshot(page, 'labels-preview');
  await page.setViewport({ width: 400, height: 600 }); // fewer pictures

  await save(page, file, source.replace('>DESTINO<', '>ENTREGAR EN<'));
  expect(await picture(page)).not.toBe(before);
  expect(await page.$('.problem')).toBeNull();

  const line = source.split('\n').findIndex((text) => text.includes('destination.name')) + 1;
  await save(page, file, source.replace('destination.name', 'destination.nme'));
  const problem = await page.$eval('.problem', (element) => element.textContent ?? '');
  expect(problem).toContain(`${file}:${line}: there is no field "nme"`);
  expect(await page.$eval('.wrong', (element) => element.textContent)).toContain('{{fit destination.nme');
  await page.setViewport({ width: 1_280, height: 900 });
  await screenshot(page, 'labels-preview-problem');
  await page.setViewport({ width: 400, height: 600 });

  await save(page, file, source);
  expect(await picture(page)).toBe(before);
});

test('a file that is no template is told', async ({ browser, folder, preview }) => {
  const page = await browser.newPage();
  await page.goto(preview.url);
  await save(page, join(folder, 'medum.hbs'), '');
  expect(await page.$eval('.problem', (element) => element.textContent)).toContain(
    'medum.hbs: this is no name of a template; those are letter.hbs, medium.hbs, small.hbs',
  );
});
