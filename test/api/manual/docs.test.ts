import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { ROOMS } from '#services/api/app.ts';
import { fieldError } from '#services/api/http/body.ts';
import { errorOf } from '#services/api/http/errors.ts';
import { errorsOf } from '#services/api/http/room.ts';
import { type HttpError, toHttpError } from '#shared/http/http-errors.ts';
import { repositoryFiles } from '#test/fixtures/repository.ts';
import { test as services } from '#test/fixtures/services.ts';
import { CHAPTERS } from './chapters.ts';
import { codeBlocks, escaped } from './code-blocks.ts';

const httpErrors = errorsOf(ROOMS);

const test = services
  .extend('settings', { GUIDES_PER_DAY_PER_ACCOUNT: '4321' })
  /** The HTML of a page. */
  .extend('read', { scope: 'file' }, ({ api }) => async (path: string) => {
    const response = await fetch(api.url + path);
    expect([path, response.status]).toEqual([path, 200]);
    return response.text();
  });

const get = (url: string, accept: string, method = 'GET') =>
  fetch(url, { method, headers: { accept }, redirect: 'manual' });
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

describe.for(['/', '/api', '/api/'])('%s', (path) => {
  test.for(['GET', 'HEAD'])('leads a browser to the guide, for %s', async (method, { api }) => {
    const { status, headers } = await get(api.url + path, BROWSER, method);
    expect([status, headers.get('location'), headers.get('vary')]).toEqual([302, '/api/docs', 'Accept']);
  });

  test.for([
    ['GET', '*/*'],
    ['POST', 'text/html'],
  ] as const)('is unknown as before to %s with Accept: %s', async ([method, accept], { api }) => {
    const response = await get(api.url + path, accept, method);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ codigo: 'recurso_no_encontrado' });
  });
});

describe('the guide for integrators', () => {
  /** The page to try requests has a policy of its own (test/security/headers.test.ts). */
  const readOnly = CHAPTERS.filter((path) => path !== '/probar');
  test.for([...readOnly, '/buscar?q=x'])(
    '/api/docs%s runs our script alone and loads from nowhere else',
    async (path, { api }) => {
      const { status, headers } = await fetch(`${api.url}/api/docs${path}`);
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; script-src 'self'",
      );
    },
  );

  test('says what to do about every code that the API answers', async ({ read }) => {
    const page = await read('/api/docs/errores');
    for (const { codigo, message, advice } of Object.values<HttpError>(httpErrors)) {
      if (advice === undefined) continue; // nobody gets it, or its first problem is answered
      expect(page).toContain(`<h3 id="${codigo}"><a href="#${codigo}">`);
      if (typeof message === 'string') expect(page).toContain(escaped(message));
    }
    expect(page).toMatch(/<code>destino_invalido<\/code> 400 o 404/);
    const index = page.slice(page.indexOf('id="indice"'), page.indexOf('id="que-hacer'));
    expect(index).toContain('<a href="#sin_cobertura"><code>sin_cobertura</code></a>');
  });

  test('shows an error as the API answers it', async ({ read }) => {
    const [block = ''] = codeBlocks(await read('/api/docs/errores'));
    const { message, codigo, details } = JSON.parse(block);
    const [{ indice, campo }] = details;
    const error = { codigo, message };
    expect(toHttpError(httpErrors, fieldError(campo, 'field-required'))).toMatchObject(error);
    expect(details).toEqual([{ indice, campo, ...error }]);
  });

  test('names beside the fields each refusal and each warning of a field', async ({ read }) => {
    const page = await read('/api/docs/campos');
    const warned = Object.values<HttpError>(httpErrors).filter(({ status }) => status === 200);
    const refused = ['required', 'type', 'invalid', 'too-long', 'unknown'] as const;
    for (const { codigo } of [...warned, ...refused.map((rule) => errorOf(httpErrors, `field-${rule}`))]) {
      expect(page).toContain(`<a href="/api/docs/errores#${codigo}"><code>${codigo}</code></a>`);
    }
  });

  test('has every operation, field and limit, as they are in force', async ({ api, read }) => {
    const document = (await (await fetch(`${api.url}/api/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { operationId: string; tags: [string] }>>;
      components: { schemas: Record<string, { properties: object }> };
    };
    const list = await read('/api/docs/operaciones');
    expect(document.paths).toHaveProperty(['/api/guias/crear', 'post']);
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { operationId, tags }] of Object.entries(methods)) {
        const request = `<code>${method.toUpperCase()} ${path}</code>`;
        const page = `/api/docs/operaciones/${tags[0].toLowerCase()}`;
        expect(list).toContain(request);
        expect(list).toContain(`<a href="${page}#${operationId}">`);
        const [, section = ''] = (await read(page)).split(`<h2 id="${operationId}">`);
        expect(section.split('<h2')[0]).toContain(request);
      }
    }
    expect(list.indexOf('crearGuias')).toBeLessThan(list.indexOf('iniciarSesion'));
    expect(Object.keys(document.paths)[0]).toBe('/api/guias/crear');
    const fields = await read('/api/docs/campos');
    for (const section of ['Remitente', 'Destinatario', 'Producto', 'CreadoPor', 'Guia']) {
      const names = Object.keys(document.components.schemas[section]?.properties ?? {});
      expect([section, names]).not.toEqual([section, []]);
      for (const field of names) {
        expect(fields).toContain(`<code>${field}</code>`);
      }
    }
    expect(fields).not.toContain('`');
    expect(await read('/api/docs/limites')).toContain('>4,321</td>');
  });

  test('has the table of retries that the OpenAPI document has', async ({ read }) => {
    const page = await read('/api/docs/reintentos');
    expect(page).toContain('data-columna="Sin Idempotency-Key"');
    expect(page).toContain('>503 <code>resultado_desconocido</code>, o conexión cortada sin respuesta</td>');
    expect(await read('/api/openapi.json')).toContain(
      '| 503 `resultado_desconocido`, o conexión cortada sin respuesta | Existen todas en un minuto, o ninguna | Busque sus guías antes de repetir | Repita |',
    );
  });

  /** What people type, and the chapter that should come first. */
  test.for([
    ['idempotencia', 'reintentos'],
    ['idempotency-key', 'reintentos'],
    ['reintentar', 'reintentos'],
    ['timeout', 'reintentos'],
    ['guías duplicadas', 'reintentos'],
    ['paginación', 'listas'],
    ['siguiente página', 'listas'],
    ['buscar guías', 'listas'],
    ['cors', 'llaves'],
    ['contrareembolso', 'cobros'],
    ['contra entrega', 'cobros'],
    ['pago contra entrega', 'cobros'],
    ['shopify', 'tiendas'],
    ['woocommerce', 'tiendas'],
    ['plugin para woocommerce', 'tiendas'],
    ['excel', 'mostrador'],
    ['subir csv', 'mostrador'],
    ['mostrador', 'mostrador'],
    ['python async', 'cliente'],
    ['cuánto gasté', 'uso'],
    ['seguimiento', 'rastreo'],
    ['devolucion', 'devoluciones'],
    ['estatus de un envío', 'rastreo'],
    ['csv', 'mostrador'],
    ['teléfono', 'campos'],
    ['dirección', 'campos'],
    ['factura', 'cotizar'],
    ['precio', 'cotizar'],
    ['tarifas', 'cotizar'],
    ['recolectar', 'recolecciones'],
    ['recolección', 'recolecciones'],
    ['cierre del día', 'manifiestos'],
    ['zebra', 'impresoras'],
    ['zpl', 'impresoras'],
    ['reimprimir', 'etiquetas'],
    ['imprimir varias etiquetas', 'etiquetas'],
    ['api key', 'llaves'],
    ['llave', 'llaves'],
    ['llaves', 'llaves'],
    ['token', ''],
    ['cancelar', ''],
    ['cómo cancelo una guía', ''],
    ['sandbox', 'pruebas'],
    ['simular', 'pruebas'],
    ['código postal', 'postales'],
    ['codigo postal', 'postales'],
    ['colonia', 'postales'],
    ['cobertura', 'postales'],
    ['contraseña', 'contrasena'],
    ['olvidé mi contraseña', 'contrasena'],
    ['429', 'limites'],
    ['rate limit', 'limites'],
    ['webhook', 'webhooks'],
    ['webhook firma', 'webhooks'],
    ['firma', 'webhooks'],
    ['sdk', 'cliente'],
    ['typescript', 'cliente'],
    ['novedades', 'cambios'],
    // Typed in haste.
    ['idempotensia', 'reintentos'],
    ['etiqeta', 'etiquetas'],
    ['recoleccion', 'recolecciones'],
    ['contrase', 'contrasena'],
    ['webhok', 'webhooks'],
    ['WEBHOOKS', 'webhooks'],
  ] as const)('finds for «%s» the chapter «%s» first', async ([query, chapter], { read }) => {
    const page = await read(`/api/docs/buscar?q=${encodeURIComponent(query)}`);
    const [, first] = /<ol class="hallazgos">\n<li><a href="\/api\/docs\/?([\w/]*)/.exec(page) ?? [];
    expect(first).toBe(chapter);
  });

  test.for([
    ['codigopostal', '/campos#Destinatario', 'Destinatario'],
    ['SIN_COBERTURA', '/errores#sin_cobertura', 'sin_cobertura 400 o 404'],
    ['cancelarGuia', '/operaciones/guias#cancelarGuia', 'cancelarGuia Cancelar una guía'],
    ['térmica', '/etiquetas#cual-elegir', 'Cuál elegir'],
  ] as const)('finds %s', async ([query, path, title], { read }) => {
    const page = await read(`/api/docs/buscar?q=${encodeURIComponent(query)}`);
    expect(page).toContain(`<a href="/api/docs${path}">${title}</a>`);
    expect(page).toContain(`value="${query}"`);
  });

  test('says that it finds nothing, and shows markup as text', async ({ read }) => {
    const page = await read('/api/docs/buscar?q=%3Cscrxxpt%3Eqqzzqq%3C/scrxxpt%3E');
    expect(page).toContain('<h1>Nada de «&lt;scrxxpt&gt;qqzzqq&lt;/scrxxpt&gt;»</h1>');
    expect(page.match(/<script[^>]*>/g)).toEqual(['<script src="/api/docs/manual.js" type="module">']);
    await read('/api/docs/buscar');
    await read(`/api/docs/buscar?q=a&q=${'b'.repeat(2_000)}`);
  });

  test.for(CHAPTERS)('/api/docs%s is Markdown with .md, and for a program', async (path, { api, read }) => {
    const address = `${api.url}/api/docs${path}`;
    const text = await read(`/api/docs${path}.md`);
    expect(text).toMatch(/^# \S/);
    expect(text).not.toMatch(/\{\{|\{url\}|<!--|!\[/);
    expect(await read(`/api/docs${path}`)).not.toMatch(/&lt;!--|buscar:/);
    const links = [...text.matchAll(/\]\(([^)]*)\)/g)].map(([, link = '']) => link);
    expect(links.filter((link) => !/^https?:\/\/|^#/.test(link))).toEqual([]);
    for (const accept of ['text/markdown', 'text/markdown, text/html, */*']) {
      const { headers } = await get(address, accept, 'HEAD');
      expect([headers.get('content-type'), headers.get('vary'), headers.get('cache-control')]).toEqual([
        ...['text/markdown; charset=utf-8', 'Accept', 'no-cache'],
      ]);
    }
    for (const accept of [BROWSER, '*/*', 'text/html, text/markdown;q=0.5']) {
      const { headers } = await get(`${address}/`, accept, 'HEAD');
      expect([headers.get('content-type'), headers.get('vary'), headers.get('cache-control')]).toEqual([
        ...['text/html; charset=utf-8', 'Accept', 'no-cache'],
      ]);
    }
  });

  test('leads programs from Markdown to Markdown, and nowhere else than pages do', async ({ api, read }) => {
    const texts = await Promise.all(CHAPTERS.map((path) => read(`/api/docs${path}.md`)));
    const links = new Set(texts.flatMap((text) => text.match(/(?<=\]\()http[^)#]*/g) ?? []));
    const own = [...links].filter((link) => link.startsWith(api.url));
    expect(own).toContain(`${api.url}/api/docs/operaciones/guias.md`);
    for (const link of own) expect([link, (await fetch(link)).status]).toEqual([link, 200]);
    expect(own.filter((link) => !/\.md$|\/api\/docs\/ejemplos\/|openapi\.json$/.test(link))).toEqual([]);
  });

  test('is listed for programs as llmstxt.org says, each chapter with its address', async ({ api, read }) => {
    const list = await read('/llms.txt');
    const [title, summary, ...sections] = list.trimEnd().split('\n\n');
    expect([title, summary]).toEqual([expect.stringMatching(/^# \S/), expect.stringMatching(/^> \S/)]);
    const [heads, lists] = [sections.filter((_, i) => i % 2 === 0), sections.filter((_, i) => i % 2 === 1)];
    for (const head of heads) expect(head).toMatch(/^## \S.*$/);
    const lines = lists.join('\n').split('\n');
    for (const line of lines) expect(line).toMatch(/^- \[[^\]]+\]\(https?:[^)]+\): \S/);
    const addresses = lines.map((line) => /\(([^)]+)\)/.exec(line)?.[1]);
    const expected = [...CHAPTERS.map((path) => `/api/docs${path}.md`), '/api/openapi.json'];
    expect(addresses.toSorted()).toEqual(expected.map((path) => api.url + path).toSorted());
  });

  test.for([
    '/nada',
    '/nada.md',
    '/operaciones/nada',
    '/operaciones/guias/nada',
    '/inicio',
    '/.md',
    '/ejemplos/nada',
  ])('says to a browser by a page that there is no %s, and to a program as always', async (path, { api }) => {
    const url = `${api.url}/api/docs${path}`;
    const page = await get(url, BROWSER);
    expect([page.status, page.headers.get('vary')]).toEqual([404, 'Accept']);
    expect(await page.text()).toContain('<h1>No hay tal página</h1>');
    for (const accept of ['*/*', 'text/markdown', 'application/json']) {
      const answer = await get(url, accept);
      expect([answer.status, answer.headers.get('vary')]).toEqual([404, 'Accept']);
      expect(await answer.json()).toMatchObject({ codigo: 'recurso_no_encontrado' });
    }
  });

  test('has every example, as it stands in the repository', async ({ read }) => {
    const page = await read('/api/docs/ejemplos');
    const files = repositoryFiles.filter((path) => /^examples\/[^/]+\.(?!md$)/.test(path));
    expect(files.length).toBeGreaterThan(7);
    for (const file of files) {
      const path = `/api/docs/ejemplos/${basename(file)}`;
      expect(page).toContain(`<a href="${path}">`);
      expect(await read(path)).toBe(await readFile(join(repoRoot, file), 'utf8'));
    }
  });

  test.for([
    ['autenticacion', 'iniciarSesion'],
    ['eventos', 'registrarEventos'],
    ['guias', 'crearGuias'],
    ['llaves', 'crearLlave'],
    ['manifiestos', 'crearManifiesto'],
    ['webhooks', 'crearWebhook'],
  ] as const)('the operations of %s begin with what one does first: %s', async ([name, first], { read }) => {
    const chapter = await read(`/api/docs/operaciones/${name}.md`);
    expect(/^## `(\w+)`/m.exec(chapter)?.[1]).toBe(first);
  });
});
