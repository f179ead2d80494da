import { createConfig, lintFromString } from '@redocly/openapi-core';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiErrors } from '#services/api/errors.ts';
import { openBrowser, screenshot } from '#test/fixtures/browser.ts';
import { call } from '#test/fixtures/client.ts';
import { startServices } from '#test/fixtures/services.ts';

let system: Awaited<ReturnType<typeof startServices>>;
beforeAll(async () => {
  system = await startServices();
});
afterAll(() => system.close());

describe('/api/openapi.json', () => {
  const document = async () => (await fetch(`${system.url}/api/openapi.json`)).text();

  it('passes a public linter without an error or a warning', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source: await document(), config });
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  it('names every endpoint of the contract', async () => {
    const { openapi, paths } = JSON.parse(await document());
    expect(openapi).toMatch(/^3\.1\./);
    const operations = Object.entries(paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(operations.sort()).toEqual([
      'GET /api/apipermissions/my-permissions',
      'GET /api/auth/validate',
      'GET /api/guias/etiqueta-pequena/{guia}',
      'GET /api/guias/etiqueta/{guia}',
      'GET /api/guias/validar-destino/{code}',
      'GET /api/sucursales',
      'GET /api/sucursales/cobertura/{cp}',
      'GET /api/sucursales/destinos',
      'GET /api/sucursales/origenes',
      'POST /api/auth/login',
      'POST /api/guias/crear',
    ]);
  });

  it('shows every message that the API can answer', async () => {
    const text = await document();
    for (const { message } of Object.values(apiErrors)) {
      if (typeof message === 'string') expect(text).toContain(JSON.stringify(message).slice(1, -1));
    }
    expect(text).toContain('No hay cobertura para el código postal: 99999');
  });

  it('needs no token', async () => {
    expect((await call(`${system.url}/api/openapi.json`)).status).toBe(200);
  });
});

describe('/api/docs in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it('lets a person log in and try a request', async () => {
    const page = await browser.newPage();
    const failures: string[] = [];
    page.on('pageerror', (error) => failures.push(String(error)));
    page.on('requestfailed', (request) => failures.push(request.url()));
    await page.setViewport({ width: 1280, height: 1600 });
    await page.goto(`${system.url}/api/docs`);

    await run(page, 'login', { 'x-username': 'demo', 'x-password': 'demo1234' });
    expect(await answer(page, 'login')).toContain('Login exitoso');

    await run(page, 'misPermisos', {});
    expect(await answer(page, 'misPermisos')).toContain('"guias.create"');
    await run(page, 'cobertura', { cp: '99999' });
    expect(await answer(page, 'cobertura')).toContain('No hay cobertura para el código postal: 99999');

    expect((await screenshot(page, 'api-docs')).length).toBeGreaterThan(10_000);
    expect(failures).toEqual([]);
  });

  /** Opens an operation, fills in its parameters, and executes it. */
  async function run(page: Page, operation: string, parameters: Record<string, string>): Promise<void> {
    const block = `[id$="-${operation}"]`;
    await page.locator(`${block} .opblock-summary-control`).click();
    for (const [name, value] of Object.entries(parameters)) {
      await page.locator(`${block} tr[data-param-name="${name}"] input`).fill(value);
    }
    await page.locator(`${block} .execute`).click();
  }

  async function answer(page: Page, operation: string): Promise<string> {
    const body = await page.waitForSelector(
      `[id$="-${operation}"] .live-responses-table .response-col_description pre`,
    );
    return (await body?.evaluate((element) => element.textContent)) ?? '';
  }
});
