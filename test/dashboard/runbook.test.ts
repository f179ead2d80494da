import { expect } from 'vitest';
import { buildDashboard } from '#services/dashboard/app.ts';
import { DashboardConfig } from '#services/dashboard/config.ts';
import { loadConfig } from '#shared/config/load-config.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { lookAt } from '#test/fixtures/axe.ts';
import { test as browserTest, openTab } from '#test/fixtures/browser.ts';

/** Tests with a dashboard that has reached neither Redis nor MongoDB: nobody can log in, and the runbook is needed. */
const test = browserTest
  .extend('url', { scope: 'file' }, async ({}, { onCleanup }) => {
    const redis = 'redis://127.0.0.1:1';
    const stores = { REDIS_URL: redis, LABEL_CACHE_URL: redis, MONGODB_URI: 'mongodb://127.0.0.1:1/guias' };
    const away = { ...stores, CANARY_URL: 'http://127.0.0.1:1' };
    const config = loadConfig(DashboardConfig, { ...away, DRAIN_MS: '0', INSTALLATION: 'compose' });
    const server = await buildDashboard(config, createLogger('dashboard', 'silent'));
    onCleanup(() => server.close());
    return server.listen({ host: '127.0.0.1', port: 0 });
  })
  .extend('open', async ({ browser, url }, { onCleanup }) => async (path: string, width: number) => {
    const { page, failures } = await openTab(browser);
    onCleanup(() => page.close());
    await page.setViewport({ width, height: 900 });
    await page.goto(`${url}${path}`);
    return { page, failures };
  });

test.for([320, 1280])(
  'fits a screen of %i, has no finding of axe in light and dark, and fails nowhere',
  async (width, { open }) => {
    const { page, failures } = await open('/runbook#noworkers', width);
    await lookAt(page, 'runbook', { width, height: 900 });
    expect(failures).toEqual([]);
  },
);

test('leads from its contents to each section, and nowhere else but to the tabs', async ({ open, url }) => {
  const { page } = await open('/runbook', 1280);
  expect(await page.title()).toBe('Runbook · Etiquetas');
  expect(
    await page.$eval('nav a[href="#noworkers"]', ({ textContent }) => textContent?.replace(/\s+/g, ' ')),
  ).toBe('NoWorkers No hay ningún label-worker vivo: no se imprime nada.');
  const links = await page.$$eval('a', (all) => all.map((link) => link.getAttribute('href') ?? ''));
  const [anchors, others] = [links.filter((link) => link.startsWith('#')), new Set(links)];
  const dead = await page.evaluate(
    `${JSON.stringify(anchors)}.filter((anchor) => !document.querySelector(anchor))`,
  );
  expect([anchors.length > 100, dead]).toEqual([true, []]);
  for (const anchor of anchors) others.delete(anchor);
  // The dashboard's own address has the port at which it is read.
  expect([...others].filter((link) => !link.startsWith('/'))).toEqual([url]);
});

test('shows the commands of the way in which it runs, and those of the others by tabs, without scripts', async ({
  open,
}) => {
  const { page } = await open('/runbook#labelsrefused', 320);
  await page.setJavaScriptEnabled(false);
  await page.reload();
  const group = '#labelsrefused ~ .formas';
  const shown = () =>
    page.$eval(group, (tabs) =>
      [...tabs.querySelectorAll('pre')]
        .filter((block) => block.checkVisibility())
        .map((block) => block.textContent),
    );
  const compose = 'docker compose up -d --no-recreate --scale label-worker=4 label-worker\n';
  expect(await shown()).toEqual([compose]);
  const first = await page.$eval(`${group} label`, (label) => {
    label.scrollIntoView({ block: 'center' });
    return label.getBoundingClientRect().toJSON();
  });
  await page.mouse.click(first.x + 5, first.y + 5);
  expect(await shown()).toEqual([expect.stringMatching(/^kubectl -n guias patch scaledobject/)]);
  // By keyboard, as every group of radio buttons.
  await page.focus(`${group} input:checked`);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  expect(await shown()).toEqual([expect.stringMatching(/^PRINT_CONCURRENCY=3 npm start/)]);
});

test('the bar that opens the contents covers the end of no line on a narrow screen', async ({ open }) => {
  const { page } = await open('/runbook', 320);
  const bar = await page.$eval('[popovertarget]', (button) => button.getBoundingClientRect().toJSON());
  expect(bar).toMatchObject({ left: 0, right: 320, bottom: 900 });
  await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)');
  const end = 'document.querySelector("main").lastElementChild.getBoundingClientRect().bottom';
  expect(await page.evaluate(end)).toBeLessThan(bar.top);
});

test('copies a block of commands, and closes its contents where a link led', async ({
  browser,
  open,
  url,
}) => {
  await browser
    .defaultBrowserContext()
    .overridePermissions(url, ['clipboard-read', 'clipboard-sanitized-write']);
  const { page } = await open('/runbook', 320);
  await page.locator('::-p-text(Contenido)').click();
  await page.locator('nav a[href="#redismaydropjobs"]').click();
  expect(await page.$eval('#contenido', (contents) => contents.checkVisibility())).toBe(false);
  // It says so for two seconds.
  await Promise.all([
    page.waitForSelector('::-p-text(Copiado)'),
    page.locator('#redismaydropjobs ~ .copiar').click(),
  ]);
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
    'redis INFO memory | grep maxmemory_policy\n',
  );
});
