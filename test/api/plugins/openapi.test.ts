import { createConfig, lintFromString } from '@redocly/openapi-core';
import type { Page } from 'puppeteer-core';
import { describe, expect } from 'vitest';
import { apiErrors } from '#services/api/errors.ts';
import { screenshot } from '#test/fixtures/browser.ts';
import { call } from '#test/fixtures/client.ts';
import { test as services } from '#test/fixtures/services.ts';

const test = services.extend('document', { scope: 'file' }, async ({ api }) =>
  (await fetch(`${api.url}/api/openapi.json`)).text(),
);

describe('/api/openapi.json', () => {
  test('passes a public linter without an error or a warning', async ({ document }) => {
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source: document, config });
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  test('names every endpoint of the contract', async ({ document }) => {
    const { openapi, paths } = JSON.parse(document);
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
      'POST /api/auth/logout',
      'POST /api/guias/crear',
    ]);
  });

  test('shows every message that the API can answer', async ({ document }) => {
    const { 'client-gone': _, ...answered } = apiErrors; // who is gone gets no answer
    for (const { message } of Object.values(answered)) {
      if (typeof message === 'string') expect(document).toContain(JSON.stringify(message).slice(1, -1));
    }
    expect(document).toContain('No hay cobertura para el código postal: 99999');
  });

  test('needs no token', async ({ api }) => {
    expect((await call(`${api.url}/api/openapi.json`)).status).toBe(200);
  });
});

describe('/api/docs in a browser', () => {
  test('lets a person log in and send a request', async ({ api, browser }) => {
    const page = await browser.newPage();
    const failures: string[] = [];
    page.on('pageerror', (error) => failures.push(String(error)));
    page.on('requestfailed', (request) => failures.push(request.url()));
    await page.setViewport({ width: 1280, height: 1600 });
    await page.goto(`${api.url}/api/docs`);

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
