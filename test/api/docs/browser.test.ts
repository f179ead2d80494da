import type { Browser, Page } from 'puppeteer-core';
import { describe, expect } from 'vitest';
import { screenshot } from '#test/fixtures/browser.ts';
import { test } from '#test/fixtures/services.ts';
import { CHAPTERS } from './chapters.ts';

const PHONE = { width: 360, height: 740 };
const DESKTOP = { width: 1280, height: 900 };

/** Least contrast of text (WCAG 2.2, 1.4.3). */
const CONTRAST = 4.5;

/** Opens a page, and what went wrong in it. */
async function open(browser: Browser, url: string, viewport = DESKTOP) {
  const page = await browser.newPage();
  const failures: string[] = [];
  page.on('pageerror', (error) => failures.push(String(error)));
  page.on('console', (message) => failures.push(message.text()));
  page.on('requestfailed', (request) => failures.push(request.url()));
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

  test.for(CHAPTERS)(
    '/api/docs%s fits a phone, has one heading and no gap between levels, enough contrast in light and dark, and fails nowhere',
    async (path, { api, browser }) => {
      const { page, failures } = await open(browser, `${api.url}/api/docs${path}`, PHONE);
      const widths = 'document.documentElement.scrollWidth <= document.documentElement.clientWidth';
      expect(await page.evaluate(widths)).toBe(true);
      const small = `[...document.querySelectorAll('nav a')].filter((a) => a.getBoundingClientRect().height < 24).length`;
      expect(await page.evaluate(small)).toBe(0); // WCAG 2.2, 2.5.8
      await screenshot(page, `guia-telefono${path.replace('/', '-')}`);
      const levels = (await page.evaluate(
        "[...document.querySelectorAll('h1,h2,h3,h4')].map((heading) => Number(heading.tagName[1]))",
      )) as number[];
      expect(levels.filter((level) => level === 1)).toEqual([1]);
      expect(levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1)).toEqual([]);
      await page.setViewport(DESKTOP);
      for (const value of ['light', 'dark']) {
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
        const { weakest, texts } = (await page.evaluate(contrasts)) as { weakest: number; texts: number };
        expect(texts).toBeGreaterThan(20);
        expect([value, weakest >= CONTRAST || weakest]).toEqual([value, true]);
      }
      expect(failures).toEqual([]);
      await page.close();
    },
  );

  test('is read by keyboard: a link past the menu, a mark where the focus is', async ({ api, browser }) => {
    const { page } = await open(browser, `${api.url}/api/docs/errores`);
    await page.keyboard.press('Tab');
    expect(await focused(page)).toEqual({ text: 'Saltar al contenido', marked: true, seen: true });
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('contenido');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toMatchObject({ marked: true, seen: true }); // the example, which may scroll

    await page.goto(`${api.url}/api/docs/errores`);
    for (const text of ['Saltar al contenido', 'Primera solicitud', 'Campos']) {
      await page.keyboard.press('Tab');
      expect(await focused(page)).toEqual({ text, marked: true, seen: true });
    }
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    expect(page.url()).toBe(`${api.url}/api/docs/campos`);
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
    for (const href of own) {
      const { pathname, hash } = new URL(href);
      const answer = await fetch(api.url + pathname);
      expect([href, answer.status]).toEqual([href, 200]);
      const anchor = hash.startsWith('#/') ? '' : hash.slice(1); // of the page that tries requests: an operation
      if (anchor) expect([href, (await answer.text()).includes(`id="${anchor}"`)]).toEqual([href, true]);
    }
  });
});

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

/**
 * Runs in a page, so it is text: the least contrast between a text and what is behind it (WCAG 2.2, "contrast ratio"). All
 * colours of the pages are opaque.
 */
const contrasts = `(() => {
  const channels = (color) => color.match(/[\\d.]+/g).map(Number);
  const luminance = (color) => {
    const [r, g, b] = channels(color).map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at);
      if (channels(backgroundColor)[3] !== 0) return backgroundColor;
    }
    return 'rgb(255, 255, 255)';
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let [weakest, texts] = [21, 0];
  while (walker.nextNode()) {
    const { parentElement: element, textContent } = walker.currentNode;
    if (!textContent.trim()) continue;
    const pair = [luminance(getComputedStyle(element).color), luminance(behind(element))].sort((a, b) => b - a);
    weakest = Math.min(weakest, (pair[0] + 0.05) / (pair[1] + 0.05));
    texts++;
  }
  return { weakest, texts };
})()`;
