import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import { httpErrors } from '#services/api/errors.ts';
import type { HttpError } from '#shared/http/http-errors.ts';
import { printingTest as services } from '#test/fixtures/services.ts';
import { CHAPTERS } from './chapters.ts';

const test = services
  .override('settings', { GUIDES_PER_DAY_PER_ACCOUNT: '4321' })
  /** The HTML of a page. */
  .extend('read', { scope: 'file' }, ({ api }) => async (path: string) => {
    const response = await fetch(api.url + path);
    expect([path, response.status]).toEqual([path, 200]);
    return response.text();
  });

describe('/', () => {
  test('leads a browser to the guide', async ({ api }) => {
    const response = await fetch(api.url, { headers: { accept: 'text/html,*/*' }, redirect: 'manual' });
    expect([response.status, response.headers.get('location'), response.headers.get('vary')]).toEqual([
      302,
      '/api/docs',
      'Accept',
    ]);
  });

  test.for([
    ['GET', '*/*'],
    ['POST', 'text/html'],
  ] as const)('is unknown as before to %s with Accept: %s', async ([method, accept], { api }) => {
    const response = await fetch(api.url, { method, headers: { accept }, redirect: 'manual' });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ codigo: 'recurso_no_encontrado' });
  });
});

describe('the guide for integrators', () => {
  test.for(CHAPTERS)('/api/docs%s runs no script and loads from nowhere else', async (path, { api }) => {
    const { status, headers } = await fetch(`${api.url}/api/docs${path}`);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
  });

  test('says what to do about every code that the API answers', async ({ read }) => {
    const page = await read('/api/docs/errores');
    for (const { codigo, message, advice } of Object.values<HttpError>(httpErrors)) {
      if (advice === undefined) continue; // nobody gets it, or its first problem is answered
      expect(page).toContain(`<h3 id="${codigo}">`);
      if (typeof message === 'string') expect(page).toContain(escaped(message));
    }
    expect(page).toMatch(/<code>destino_invalido<\/code> 400 o 404/);
  });

  test('has every operation, field and limit, as they are in force', async ({ api, read }) => {
    const document = (await (await fetch(`${api.url}/api/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { summary: string }>>;
      components: { schemas: Record<string, { properties: object }> };
    };
    const first = await read('/api/docs');
    expect(document.paths).toHaveProperty(['/api/guias/crear', 'post']);
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const method of Object.keys(methods)) {
        expect(first).toContain(`<code>${method.toUpperCase()} ${path}</code>`);
      }
    }
    const fields = await read('/api/docs/campos');
    for (const section of ['Remitente', 'Destinatario', 'Producto', 'CreadoPor', 'Guia']) {
      const names = Object.keys(document.components.schemas[section]?.properties ?? {});
      expect([section, names]).not.toEqual([section, []]);
      for (const field of names) {
        expect(fields).toContain(`<code>${field}</code>`);
      }
    }
    expect(await read('/api/docs/limites')).toContain('<td>4,321</td>');
  });

  test('has the table of retries that the OpenAPI document has', async ({ read }) => {
    const page = await read('/api/docs/reintentos');
    expect(page).toContain(
      '<td>503 <code>resultado_desconocido</code>, o conexión cortada sin respuesta</td>',
    );
    expect(await read('/api/openapi.json')).toContain(
      '| 503 `resultado_desconocido`, o conexión cortada sin respuesta | Existen todas en un minuto, o ninguna | Busque sus guías antes de repetir | Repita |',
    );
  });

  test('begins with commands that print a label as they stand', async ({ api, folder, read }) => {
    const page = await read('/api/docs');
    const blocks = [...page.matchAll(/<pre tabindex="0"><code>([\s\S]*?)<\/code><\/pre>/g)];
    expect(blocks.length).toBe(3);
    const script = blocks.map(([, block = '']) => unescaped(block)).join('\n');
    expect(script).toContain(`API=${api.url}\n`);
    await writeFile(join(folder, 'primera.sh'), script);
    await promisify(execFile)('sh', ['-e', 'primera.sh'], { cwd: folder, timeout: 60_000 });
    expect((await readFile(join(folder, 'guia.pdf'))).subarray(0, 5).toString()).toBe('%PDF-');
  });
});

const ENTITIES = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };

function escaped(text: string): string {
  return Object.entries(ENTITIES).reduce(
    (all, [entity, character]) => all.replaceAll(character, entity),
    text,
  );
}

function unescaped(text: string): string {
  return Object.entries(ENTITIES).reduceRight(
    (all, [entity, character]) => all.replaceAll(entity, character),
    text,
  );
}
