import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import { describe, expect } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { accessibilityFindings, lookAt, lookAtEach } from '#test/fixtures/axe.ts';
import { FITS, openTab, screenshot } from '#test/fixtures/browser.ts';
import { test } from '#test/fixtures/services.ts';
import { CHAPTERS } from './chapters.ts';

const PHONE = { width: 320, height: 900 };
const DESKTOP = { width: 1280, height: 900 };
/** Between a small phone and a desk tables are widest for their page. */
const SCREENS = [PHONE, { width: 768, height: 900 }, DESKTOP];
/** One of each kind: code in several languages, tables of a writer, operations. All chapters share their parts and colours. */
const EXAMPLES = ['', '/errores', '/operaciones/guias'];
/** Below the chapters: what is found for a word. */
const FOUND = '/buscar?q=guia';

/** Opens a page, and what went wrong in it. */
async function open(browser: Browser, url: string, viewport = DESKTOP) {
  const { page, failures } = await openTab(browser);
  page.on('response', (response) => {
    if (response.status() >= 400) failures.push(`${response.status()} ${response.url()}`);
  });
  await page.setViewport(viewport);
  await page.goto(url);
  return { page, failures };
}

describe('the guide for integrators in a browser', () => {
  test('is where / leads to', async ({ api, browser }) => {
    const { page, failures } = await open(browser, api.url);
    expect(page.url()).toBe(`${api.url}/api/docs`);
    expect(await page.title()).toBe('Primera solicitud · Guías de envío');
    expect(failures).toEqual([]);
    await screenshot(page, 'guia');
    await page.close();
  });

  test.for([...CHAPTERS, FOUND])(
    '/api/docs%s fits every screen, has no finding of axe, and fails nowhere',
    async (path, { api, browser }) => {
      const { page, failures } = await open(browser, `${api.url}/api/docs${path}`);
      const name = `guia${path.replaceAll(/\W/g, '-')}`;
      if ([...EXAMPLES, FOUND].includes(path)) await lookAtEach(page, name, SCREENS);
      else for (const screen of SCREENS) await lookAt(page, name, screen, screen === PHONE ? ['light'] : []);
      expect(failures).toEqual([]);
      await page.close();
    },
  );

  test('says by a page, which fits and has no finding of axe, that there is none', async ({
    api,
    browser,
  }) => {
    const { page } = await openTab(browser);
    const answer = await page.goto(`${api.url}/api/docs/nada`);
    expect(answer?.status()).toBe(404);
    await lookAtEach(page, 'guia-404', SCREENS);
    await page.close();
  });

  test('copies a block by a button, also by keyboard, and says so', async ({ api, browser }) => {
    const { page, failures } = await open(browser, `${api.url}/api/docs/postales`);
    await browser
      .defaultBrowserContext()
      .overridePermissions(api.url, ['clipboard-read', 'clipboard-sanitized-write']);
    const block = await page.$eval('pre', ({ textContent }) => textContent ?? '');
    const status = () => page.$eval('main [role="status"]', ({ textContent }) => textContent);
    expect([await page.$$eval('pre', ({ length }) => length), await status()]).toEqual([
      await page.$$eval('.copiar', ({ length }) => length),
      '',
    ]);
    await page.focus('.copiar');
    expect(await focused(page)).toEqual({ text: 'Copiar', marked: true, seen: true });
    // It says so for two seconds.
    const said = `document.querySelector('main [role="status"]').textContent`;
    await Promise.all([
      page.waitForFunction(`${said} === 'Copiado' && document.activeElement.textContent === 'Copiado'`),
      page.keyboard.press('Enter'),
    ]);
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(block.trimEnd());
    await page.waitForFunction(`document.activeElement.textContent === 'Copiar'`);
    expect([failures, await status()]).toEqual([[], '']);
    await page.close();
  });

  test('shows code in the language that a reader chooses once, by keyboard too', async ({ api, browser }) => {
    const { page, failures } = await open(browser, `${api.url}/api/docs`);
    expect(await shownLanguages(page)).toEqual(['sh', 'sh', 'sh']);
    await page.focus('#lenguaje-2-sh');
    await page.keyboard.press('ArrowRight');
    expect(await shownLanguages(page)).toEqual(['js', 'js', 'js']);
    const marked = `getComputedStyle(document.querySelector('[for="lenguaje-2-js"]')).outlineStyle`;
    expect(await page.evaluate(marked)).toBe('solid');
    await page.goto(`${api.url}/api/docs/webhooks`);
    await page.waitForFunction(`document.querySelector('.lenguajes [value="js"]').checked`);
    expect(await shownLanguages(page)).toEqual(['js']);
    expect(await page.evaluate('Object.entries(localStorage)')).toEqual([['lenguaje', 'js']]);
    await lookAtEach(page, 'guia-lenguajes', SCREENS);
    await page.evaluate('localStorage.clear()');
    expect(failures).toEqual([]);
    await page.close();
  });

  test('shows code in a chosen language where scripts do not run', async ({ api, browser }) => {
    const page = await browser.newPage();
    await page.setJavaScriptEnabled(false);
    await page.goto(`${api.url}/api/docs`);
    await page.click('[for="lenguaje-1-php"]');
    expect(await shownLanguages(page)).toEqual(['php', 'sh', 'sh']);
    await page.close();
  });

  test('shows no empty line above the first of a block', async ({ api, browser }) => {
    const { page } = await open(browser, `${api.url}/api/docs`);
    // In lines, from the edge of each block to the first letter.
    const above = `[...document.querySelectorAll('main pre')].filter((block) => block.checkVisibility()).map((block) => {
      const letter = document.createRange();
      letter.setStart(block.firstChild.firstChild, 0);
      letter.setEnd(block.firstChild.firstChild, 1);
      const space = letter.getBoundingClientRect().top - block.getBoundingClientRect().top;
      return space / parseFloat(getComputedStyle(block).lineHeight);
    })`;
    for (const screen of [PHONE, DESKTOP]) {
      await page.setViewport(screen);
      const lines = (await page.evaluate(above)) as number[];
      expect(lines).toHaveLength(3);
      for (const each of lines) expect(each).toBeLessThan(1);
    }
    await page.close();
  });

  test('shows in the contents where the reader is', async ({ api, browser }) => {
    const { page } = await open(browser, `${api.url}/api/docs/operaciones/autenticacion`);
    const isSeen = `(() => {
      const { top, bottom } = document.querySelector('.indice [aria-current]').getBoundingClientRect();
      return top > 0 && bottom < innerHeight;
    })()`;
    await page.waitForFunction(isSeen);
    await page.setViewport({ width: 320, height: 740 });
    await page.reload();
    await page.locator('header button').click();
    await page.waitForFunction(isSeen);
    await page.close();
  });

  test('has no button that does nothing where scripts do not run', async ({ api, browser }) => {
    const page = await browser.newPage();
    await page.setJavaScriptEnabled(false);
    await page.goto(`${api.url}/api/docs/postales`);
    expect([await page.$('pre'), await page.$('.copiar')]).toEqual([expect.anything(), null]);
    await page.close();
  });

  test('is read by keyboard: a link past the contents, a mark where the focus is', async ({
    api,
    browser,
  }) => {
    const { page } = await open(browser, `${api.url}/api/docs/errores`);
    await page.keyboard.press('Tab');
    expect(await focused(page)).toEqual({ text: 'Saltar al contenido', marked: true, seen: true });
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('contenido');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toMatchObject({ marked: true, seen: true }); // the button of the example

    await page.goto(`${api.url}/api/docs/errores`);
    const [brand] = await page.$$eval('header a', (links) => links.map(({ textContent }) => textContent));
    for (const text of [
      'Saltar al contenido',
      brand,
      '',
      'Buscar',
      'Primera solicitud',
      'Llaves',
      'Ensayar',
    ]) {
      await page.keyboard.press('Tab');
      expect(await focused(page)).toEqual({ text, marked: true, seen: true });
    }
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    expect(page.url()).toBe(`${api.url}/api/docs/pruebas`);
    await page.close();
  });

  test('has its contents behind a button on a phone, by keyboard too', async ({ api, browser }) => {
    const { page } = await open(browser, `${api.url}/api/docs/errores`, { width: 320, height: 740 });
    const shown = () => page.$eval('#capitulos', (contents) => contents.checkVisibility());
    expect(await shown()).toBe(false);
    for (const _ of [1, 2, 3]) await page.keyboard.press('Tab');
    expect(await focused(page)).toEqual({ text: 'Capítulos', marked: true, seen: true });
    await page.keyboard.press('Enter');
    expect([await shown(), await page.evaluate(FITS), await accessibilityFindings(page)]).toEqual([
      true,
      true,
      [],
    ]);
    await screenshot(page, 'guia-indice-320');
    await page.keyboard.press('Tab');
    await page.keyboard.type('sin cobertura');
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    expect(page.url()).toBe(`${api.url}/api/docs/buscar?q=sin+cobertura`);
    await page.close();
  });

  test('has no link that leads nowhere', async ({ api }) => {
    const read = async (path: string) => (await fetch(api.url + path)).text();
    const links = new Set<string>();
    for (const chapter of CHAPTERS) {
      const path = `/api/docs${chapter}`;
      for (const [, href = ''] of (await read(path)).matchAll(/<a [^>]*?href="([^"]+)"/g))
        links.add(new URL(href.replaceAll('&amp;', '&'), api.url + path).href);
    }
    const own = [...links].filter((href) => href.startsWith(api.url));
    expect(own.length).toBeGreaterThan(20);
    for (const [pathname, its] of Map.groupBy(own, (href) => new URL(href).pathname)) {
      const answer = await fetch(api.url + pathname);
      expect([pathname, answer.status]).toEqual([pathname, 200]);
      const page = await answer.text();
      const anchors = its.map((href) => new URL(href).hash.slice(1)).filter(Boolean);
      expect(anchors.filter((anchor) => !page.includes(`id="${anchor}"`))).toEqual([]);
    }
  });
});

/** Returns the language that each block of code in several languages shows. */
function shownLanguages(page: Page): Promise<string[]> {
  return page.$$eval('.lenguajes > div', (blocks) =>
    blocks.filter((block) => block.checkVisibility()).map(({ className }) => className),
  );
}

/** Tells what has the focus, whether it is marked, and whether it is on the screen. */
async function focused(page: Page) {
  return page.evaluate(`(() => {
    const element = document.activeElement;
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    const { left, top, right, bottom } = element.getBoundingClientRect();
    return {
      text: element.textContent,
      marked: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2,
      seen: left >= 0 && top < innerHeight && right > 0 && bottom > 0,
    };
  })()`);
}

/** `UPDATE_PICTURES=1 npm test -- test/api/manual/browser` takes the picture of the documents anew. */
if (process.env.UPDATE_PICTURES) {
  test('picture for the documents', async ({ api, browser }) => {
    const { page } = await open(browser, api.url);
    await writeFile(join(repoRoot, 'docs/pictures/guia.png'), await page.screenshot());
    await page.close();
  });
}
