import { join } from 'node:path';
import type { Page, SerializedAXNode } from 'puppeteer-core';
import { describe, expect } from 'vitest';
import { DEMO_PASSWORD } from '#local/demo-data.ts';
import { repoRoot } from '#local/folders.ts';
import { lookAt } from '#test/fixtures/axe.ts';
import { BROKEN_WORDS, screenshot } from '#test/fixtures/browser.ts';
import { test as dashboardTest } from '#test/fixtures/dashboard/dashboard.ts';
import type { Fleet } from '#test/fixtures/dashboard/fleet.ts';
import type { LabelJobs } from '#test/fixtures/dashboard/label-jobs.ts';
import { cannot, GOOD, type PretendedCanary } from '#test/fixtures/dashboard/pretended-canary.ts';
import { label, mixedLabels } from '#test/fixtures/labels/labels.ts';
import type { Stores } from '#test/fixtures/stores.ts';

/** The page as people with either preference see it. */
async function pictures(page: Page, name: string): Promise<void> {
  for (const value of ['light', 'dark']) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
    await page.evaluate('Promise.all(document.getAnimations().map(({ finished }) => finished))');
    expect((await page.screenshot()).length).toBeGreaterThan(10_000);
    await screenshot(page, `dashboard-${name}-${value}`);
  }
}
/** Two workers that are well. */
async function twoWorkers(fleet: Fleet): Promise<void> {
  const now = Date.now();
  const chromium = {
    state: 'running' as const,
    since: now - 1_380_000,
    prints: 812,
    memoryBytes: 431_000_000,
  };
  const dependencies = { chromium: 'ok', redis: 'ok', 'label-cache': 'ok' } as const;
  const known = { pid: 1, startedAt: now - 97_000_000, at: now, clockAheadMs: 0, templates: {}, chromium };
  const capacity = { perMinute: 700, mostPerMinute: 2_000, isLeast: false };
  const ours = { ...known, labels: 48_213, dependencies, labelCacheEvicts: true, capacity };
  await fleet.keepAlive({ ...ours, id: 'w-1', host: 'label-worker-6c9d-x7k2p' });
  await fleet.keepAlive({ ...ours, id: 'w-2', host: 'label-worker-6c9d-q4mzt', labels: 47_958 });
}
/** Labels that were printed, and two that were not. */
async function busyNight({ redis, prefix }: Stores, jobs: LabelJobs): Promise<void> {
  const now = Date.now();
  const minute = Math.floor(now / 60_000);
  for (let ago = 0; ago < 120; ago++) {
    const printed = ago > 30 && ago < 38 ? 0 : Math.round(900 + 600 * Math.sin(ago / 18) + 97 * (ago % 7));
    const key = (outcome: string) => `${prefix}:label-count:${outcome}:${minute - ago}`;
    const limited = ago % 17 === 3 ? 12 : 0;
    const refused = ago > 29 && ago < 39 ? 340 - ago : 0;
    await redis.mset(key('printed'), printed, key('refused'), refused, key('limited'), limited);
    if (ago === 8 || ago === 71) await redis.set(key('failed'), 2);
  }
  const labels = mixedLabels(24);
  for (const [i, label] of labels.slice(2).entries())
    await jobs.waiting(label, { askedAt: Date.now() - 90 - 9 * i });
  await jobs.work(22, async () => ({ bytes: 34_812 }));
  const [one, two] = labels;
  if (one) await jobs.failed(one, new Error('label-unprintable'), 'tienda-20260714-0093');
  if (two) await jobs.failed(two, new Error('browser-failed'), '0b5f7a52-6c1e-4c0e-9d53-5b1de2f0a6c4');
}
/** The texts of what sticks out of its section. */
const LEAVES_ITS_CARD = `[...document.querySelectorAll('main > section')].flatMap((card) =>
  [...card.querySelectorAll('*')]
    .filter((one) => one.checkVisibility() && one.getBoundingClientRect().right > card.getBoundingClientRect().right)
    .map(({ tagName, textContent }) => tagName + ' ' + textContent))`;
/** The page asks for news ten times as often as it does otherwise. */
const FAST_REFRESH = 'window.setInterval = ((slow) => (run, ms) => slow(run, ms / 10))(window.setInterval)';
const test = dashboardTest
  .extend('workers', { scope: 'file', auto: true }, ({ services }) => twoWorkers(services))
  .extend('ourCustomer', { auto: true }, ({ pretendedCanary }) =>
    Object.assign(pretendedCanary, { report: GOOD }),
  )
  /** What went wrong in the page, such as something that its policy forbids. */
  .extend('failures', (): string[] => [])
  .extend('page', async ({ browser, dashboard, failures }, { onCleanup }) => {
    const context = await browser.createBrowserContext();
    onCleanup(() => context.close());
    const page = await context.newPage();
    await page.setViewport({ width: 1200, height: 900 });
    await page.evaluateOnNewDocument(FAST_REFRESH);
    page.on('pageerror', (error) => failures.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && failures.push(message.text()));
    page.on('request', (request) => request.url().startsWith(dashboard.url) || failures.push(request.url()));
    return page;
  })
  .extend('login', ({ page, dashboard }) => async (password = DEMO_PASSWORD) => {
    await page.goto(dashboard.url);
    await page.locator('#usuario').fill('operaciones');
    await page.locator('#contrasena').fill(password);
    await Promise.all([page.waitForNavigation(), page.locator('button').click()]);
  })
  .extend('shows', ({ page }) => (text: string) => {
    return page.waitForSelector(`::-p-text(${text})`);
  });

describe('the login page', () => {
  test('says what is wrong, and then logs the user in', async ({ failures, login, page, shows }) => {
    await login('mal');
    await shows('Usuario o contraseña incorrectos');
    await pictures(page, 'login');
    await login();
    await shows('Procesos');
    expect(failures).toEqual([
      'Failed to load resource: the server responded with a status of 401 (Unauthorized)',
    ]);
  });
});

describe('Estado', () => {
  test('updates without a reload', async ({
    failures,
    fleet,
    ourCustomer,
    jobs,
    login,
    page,
    shows,
    stores,
  }) => {
    await busyNight(stores, jobs);
    await login();
    await printingFails(fleet, ourCustomer);
    await shows('Imprimir etiquetas falla desde hace');
    await pictures(page, 'estado');
    for (const width of [390, 320]) {
      await page.setViewport({ width, height: 844 });
      await screenshot(page, `dashboard-estado-${width}`);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      expect(await page.evaluate(LEAVES_ITS_CARD)).toEqual([]);
    }
    await page.evaluate('window.still = true; document.querySelector(".titular a").focus()');
    await page.evaluate('window.row = document.querySelector("th[data-de=Servicio]")');
    await fleet.remove('branches');
    await fleet.remove('webhooks');
    await shows('Ningún proceso de branches da señales');
    await shows('Ningún proceso de webhooks da señales');
    expect(await page.evaluate('window.still')).toBe(true);
    expect(await page.evaluate('window.row.isConnected')).toBe(true); // only what differs is new
    expect(await page.evaluate('document.activeElement.matches(".titular a")')).toBe(true);
    expect(await page.title()).toMatch(/^Hay \d problemas/);
    expect(failures).toEqual([]);
  });

  test('has no finding of axe, in light and dark, from 320 px on', async ({ jobs, login, page, stores }) => {
    await busyNight(stores, jobs);
    await login();
    // axe takes a heading that is replaced meanwhile for one out of order.
    await page.evaluate('for (let timer = 0; timer < 1_000; timer++) clearInterval(timer)');
    await page.evaluate('document.querySelectorAll("details").forEach((one) => { one.open = true; })');
    // Colours do not depend on the width.
    for (const [width, schemes] of [[320, ['light']], [720, []], [1280]] as [number, string[]?][]) {
      await lookAt(page, 'dashboard-axe', { width, height: 900 }, schemes);
      expect(await page.evaluate(LEAVES_ITS_CARD)).toEqual([]);
      expect(await page.evaluate(BROKEN_WORDS)).toEqual([]);
    }
  });

  test('works by keyboard, and for a screen reader', async ({
    fleet,
    jobs,
    login,
    ourCustomer,
    page,
    shows,
    stores,
  }) => {
    await busyNight(stores, jobs);
    await login();
    await printingFails(fleet, ourCustomer);
    await page.waitForSelector('.titular a'); // the page also tells of one that has ended
    const focused = () =>
      page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.textContent');
    const tab = async () => {
      await page.keyboard.press('Tab');
      return focused();
    };
    expect([await tab(), await tab(), await tab(), await tab(), await tab()]).toEqual([
      ...['Estado', 'Cola', 'Runbook', 'Salir'],
      expect.stringMatching(/^Qué hacer: /),
    ]);
    expect(await tab()).toBe('Cifras cada diez minutos');
    await page.keyboard.press('Enter');
    await shows('Desde');
    expect(await page.$$eval('.dibujo + details tbody tr', (rows) => rows.length)).toBe(12);

    // What was opened stays open, and what had the focus keeps it, while the page changes.
    await jobs.queue.pause();
    await shows('La cola está en pausa: no se imprime nada');
    expect(await page.$eval('[role=status]', ({ textContent }) => textContent)).toBe(
      'Hay un problema: La cola está en pausa: no se imprime nada',
    );
    expect(await page.$eval('details', ({ open }) => open)).toBe(true);
    expect(await focused()).toBe('Cifras cada diez minutos');

    expect(await tab()).toBe('Reanudar la cola');
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    await shows('Pausar la cola');
    expect(await jobs.queue.isPaused()).toBe(false);
    await page.waitForSelector(
      '::-p-aria([name="Barras por minuto; sus cifras están en la tabla que sigue"][role="image"])',
    );
    const all = (node: SerializedAXNode): SerializedAXNode[] => [node, ...(node.children ?? []).flatMap(all)];
    const tree = await page.accessibility.snapshot();
    const nodes = (tree ? all(tree) : []).filter(({ role }) => /^(link|button|image|heading)$/.test(role));
    expect(nodes.length).toBeGreaterThan(10);
    expect(nodes.filter(({ name }) => !name)).toEqual([]);
  });

  test('works without scripts', async ({ jobs, login, page }) => {
    await login();
    await page.setJavaScriptEnabled(false);
    await page.reload();
    expect(await page.content()).toContain('Procesos');
    await jobs.failed(label(), new Error('payload-invalid'));
    await expect
      .poll(() => page.content().catch(() => ''), { interval: 500 })
      .toContain('El trabajo no trae una etiqueta válida');
  });

  test('says when it is stale, and recovers by itself', async ({ login, page }) => {
    await login();
    await page.setOfflineMode(true);
    await page.waitForSelector('#atraso:not([hidden])');
    await page.setOfflineMode(false);
    await page.waitForSelector('#atraso[hidden]');
  });

  test('goes to the login page when the session has ended', async ({ login, page, stores }) => {
    await login();
    await stores.redis.del(...(await stores.redis.keys(`*${stores.prefix.slice(1, -1)}*:session:*`)));
    await page.waitForSelector('#contrasena');
  });
});

describe('Bull Board', () => {
  test('shows jobs under our Content-Security-Policy, in Spanish, and has no button that changes any', async ({
    dashboard,
    failures,
    jobs,
    login,
    page,
    shows,
    stores,
  }) => {
    await busyNight(stores, jobs);
    await login();
    await page.goto(`${dashboard.url}/colas/queue/labels?status=completed`);
    await shows('pequena');
    await pictures(page, 'cola');
    const buttons = () =>
      page.$$eval('button', (all) => all.map(({ textContent }) => textContent).filter(Boolean));
    const tabs = ['Error', 'Datos', 'Progreso', 'Opciones', 'Registros'];
    expect(new Set(await buttons())).toEqual(new Set(tabs));
    await page.goto(dashboard.url);
    await page.locator('main table a').click(); // the last failure
    await shows('Chromium falló o tardó demasiado');
    await shows('Etiqueta pequena');
    await screenshot(page, 'dashboard-trabajo');
    expect(await buttons()).toEqual(tabs);
    await page.locator('::-p-aria(← Estado)').click();
    await shows('Procesos');
    expect(failures).toEqual([]);
  });
});

/** `UPDATE_PICTURES=1 npm test -- test/dashboard/pages` takes the picture of the documents anew. */
if (process.env.UPDATE_PICTURES) {
  test('picture for the documents', async ({ fleet, ourCustomer, jobs, login, page, shows, stores }) => {
    await stores.redis.del(`${stores.prefix}:problems`);
    await busyNight(stores, jobs);
    await login();
    await printingFails(fleet, ourCustomer);
    await shows('Imprimir etiquetas falla desde hace');
    await page.screenshot({ path: join(repoRoot, 'docs/pictures/estado.png') as `${string}.png` });
  });
}

/** An api tells that labels fail, and a customer of our own gets none. */
async function printingFails(fleet: Fleet, ourCustomer: PretendedCanary): Promise<void> {
  ourCustomer.report = cannot('print', { sinceMs: 290_000, answer: '500 etiqueta_tardia' });
  const now = Date.now();
  const figures = { notOk: 4, all: 4, lastNotOk: 4, lastAll: 4 };
  const failing = { since: now - 300_000, lastBegan: now, ...figures, codigo: 'etiqueta_tardia' };
  await fleet.tell('api', { actions: { print: { lastNotOk: now, failing } } });
}
