import type { Browser, Page } from 'puppeteer-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DEMO_PASSWORD } from '#local/demo-data.ts';
import { removeHeartbeat, writeHeartbeat } from '#shared/contracts/worker-heartbeat.ts';
import { startProxy, type TcpProxy } from '#test/faults/system/proxy.ts';
import { openBrowser, screenshot } from '#test/fixtures/browser.ts';
import { label, mixedLabels } from '#test/fixtures/labels/labels.ts';
import { freshStores, startDashboard } from '#test/fixtures/old-services.ts';
import { LabelJobs } from '../label-jobs.ts';

let stores: Awaited<ReturnType<typeof freshStores>>;
let redisProxy: TcpProxy;
let dashboard: Awaited<ReturnType<typeof startDashboard>>;
let jobs: LabelJobs;
let browser: Browser;
let page: Page;
/** What went wrong in the page, such as something that its policy forbids. */
const failures: string[] = [];
beforeAll(async () => {
  stores = await freshStores();
  const redisUrl = new URL(stores.env.REDIS_URL ?? '');
  const redisPort = Number(redisUrl.port);
  redisProxy = await startProxy(() => redisPort);
  redisUrl.port = String(redisProxy.port);
  dashboard = await startDashboard({
    ...stores.env,
    REDIS_URL: redisUrl.href,
    RUNBOOK_URL: 'https://wiki.example/runbook',
  });
  jobs = new LabelJobs(stores.redis, stores.prefix);
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await dashboard.server.close();
  await redisProxy.close();
  await jobs.close();
  await stores.close();
});
beforeEach(async () => {
  await jobs.queue.obliterate({ force: true });
  const context = await browser.createBrowserContext();
  page = await context.newPage();
  await page.setViewport({ width: 1200, height: 900 });
  failures.length = 0;
  page.on('pageerror', (error) => failures.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && failures.push(message.text()));
  page.on('request', (request) => request.url().startsWith(dashboard.url) || failures.push(request.url()));
});
afterEach(() => page.browserContext().close());

async function login(password = DEMO_PASSWORD): Promise<void> {
  await page.goto(dashboard.url);
  await page.locator('#usuario').fill('operaciones');
  await page.locator('#contrasena').fill(password);
  await Promise.all([page.waitForNavigation(), page.locator('button').click()]);
}
const shows = (text: string) => page.waitForSelector(`::-p-text(${text})`, { timeout: 20_000 });
/** The page as people with either preference see it. */
async function pictures(name: string): Promise<void> {
  for (const value of ['light', 'dark']) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
    await page.evaluate('Promise.all(document.getAnimations().map(({ finished }) => finished))');
    expect((await screenshot(page, `dashboard-${name}-${value}`)).length).toBeGreaterThan(10_000);
  }
}
/** Two workers that are well, labels that were printed, and two that were not. */
async function busyNight(): Promise<void> {
  const now = Date.now();
  const chromium = { startedAt: now - 1_380_000, prints: 812, residentBytes: 431_000_000 };
  const ours = { pid: 1, startedAt: now - 97_000_000, labels: 48_213, chromium };
  const { redis, prefix } = stores;
  await writeHeartbeat(redis, prefix, { ...ours, id: 'w-1', host: 'label-worker-6c9d-x7k2p' });
  await writeHeartbeat(redis, prefix, {
    ...ours,
    id: 'w-2',
    host: 'label-worker-6c9d-q4mzt',
    labels: 47_958,
  });
  const labels = mixedLabels(24);
  for (const [i, label] of labels.slice(2).entries())
    await jobs.waiting(label, { askedAt: now - 90 - 9 * i });
  await jobs.work(22, async () => ({ bytes: 34_812 }));
  const [one, two] = labels;
  if (one) await jobs.failed(one, new Error('label-unprintable'), 'tienda-20260714-0093');
  if (two) await jobs.failed(two, new Error('browser-failed'), '0b5f7a52-6c1e-4c0e-9d53-5b1de2f0a6c4');
}
const nightIsOver = () =>
  Promise.all(['w-1', 'w-2'].map((id) => removeHeartbeat(stores.redis, stores.prefix, id)));

describe('the login page', () => {
  it('says what is wrong, and then lets one in', async () => {
    await login('mal');
    await shows('Usuario o contraseña incorrectos');
    await pictures('login');
    await login();
    await shows('Workers vivos');
    expect(failures).toEqual([
      'Failed to load resource: the server responded with a status of 401 (Unauthorized)',
    ]);
  });
});

describe('Estado', () => {
  it('follows what happens without being loaded again', async () => {
    await busyNight();
    await login();
    await shows('2 etiquetas fallaron en los últimos 5 min');
    await pictures('estado');
    await page.setViewport({ width: 390, height: 844 });
    await screenshot(page, 'dashboard-estado-phone');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await page.evaluate('window.still = true; document.querySelectorAll("main a")[1].focus()');
    await jobs.queue.pause();
    await nightIsOver();
    await shows('La cola está en pausa: no se imprime nada');
    await shows('No hay ningún label-worker vivo');
    expect(await page.evaluate('window.still')).toBe(true);
    expect(await page.evaluate('document.activeElement.matches("main a")')).toBe(true);
    expect(await page.title()).toMatch(/^Hay \d problemas/);
    await jobs.queue.resume();
    expect(failures).toEqual([]);
  });

  it('does without scripts', async () => {
    await login();
    await page.setJavaScriptEnabled(false);
    await page.reload();
    expect(await page.content()).toContain('Workers vivos');
    await jobs.failed(label(), new Error('payload-invalid'));
    await expect
      .poll(() => page.content().catch(() => ''), { timeout: 20_000, interval: 500 })
      .toContain('El trabajo no trae una etiqueta válida');
  });

  it('says when it can no longer be believed, and is right again by itself', async () => {
    await login();
    await page.setOfflineMode(true);
    await page.waitForSelector('#atraso:not([hidden])', { timeout: 20_000 });
    await page.setOfflineMode(false);
    await page.waitForSelector('#atraso[hidden]', { timeout: 20_000 });
  });

  it('goes to the login page when the session has ended', async () => {
    await login();
    await stores.redis.del(...(await stores.redis.keys(`*${stores.prefix.slice(1, -1)}*:session:*`)));
    await page.waitForSelector('#contrasena', { timeout: 20_000 });
  });

  it('says so when Redis does not answer, and comes back by itself', async () => {
    await login();
    const thaw = redisProxy.freeze();
    await page.goto(dashboard.url);
    await shows('MongoDB o Redis no responde');
    await pictures('sin-redis');
    thaw();
    await shows('Workers vivos');
  });

  it('lets one leave', async () => {
    await login();
    await Promise.all([page.waitForNavigation(), page.locator('header button').click()]);
    await page.waitForSelector('#contrasena');
    await page.goto(dashboard.url);
    await page.waitForSelector('#contrasena');
  });
});

describe('Bull Board', () => {
  it('works under our policy, in Spanish, with what may be done and nothing else', async () => {
    await busyNight();
    await login();
    await page.goto(`${dashboard.url}/colas/queue/labels?status=completed`);
    await shows('pequeña');
    await pictures('cola');
    await page.goto(`${dashboard.url}/colas/queue/labels?status=failed`);
    await shows('Chromium falló o tardó demasiado');
    const actions = () =>
      page.evaluate(
        '[...document.querySelectorAll("[class*=jobActions] li")].filter((li) => li.offsetParent).length',
      );
    expect(await actions()).toBe(4); // retry and remove, of two jobs
    await page.locator('[class*=jobActions] li:first-child button').click();
    await page.locator('::-p-text(Confirmar)').click();
    await expect.poll(() => jobs.queue.getFailedCount(), { timeout: 20_000 }).toBe(1);

    await page.reload(); // the dialog fades away over what is to be clicked next
    await page.locator('::-p-xpath((//*[@aria-haspopup="menu"])[last()])').click();
    await shows('Vaciar');
    const menu = await page.$$eval('[role=menuitem]', (items) =>
      items.filter((item) => item.checkVisibility()).map((item) => item.textContent),
    );
    expect(menu).toEqual(['Reintentar las 1 tareas fallidas', 'Pausar', 'Vaciar']);
    await page.keyboard.press('Escape');
    await page.locator('#estado').click();
    await shows('Workers vivos');
    await nightIsOver();
    expect(failures).toEqual([]);
  });
});
