import { readFileSync } from 'node:fs';
import type { ApiConfig } from '#api/config.ts';
import { DomainError } from '#shared/errors.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { cambios } from './chapters/cambios.ts';
import { campos } from './chapters/campos.ts';
import { type Chapter, operationsOf } from './chapters/chapter.ts';
import { errores } from './chapters/errores.ts';
import { etiquetas } from './chapters/etiquetas.ts';
import { impresoras } from './chapters/impresoras.ts';
import { inicio } from './chapters/inicio.ts';
import { limites } from './chapters/limites.ts';
import { reintentos } from './chapters/reintentos.ts';
import { type Html, html } from './html.ts';

const CHAPTERS = [inicio, campos, errores, reintentos, limites, etiquetas, impresoras, cambios];
const STYLE = readFileSync(new URL('manual.css', import.meta.url));
/** A page has a style, no script, no form and stands in no frame. */
const POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * `GET /api/docs`: the guide for integrators, in Spanish, and in a browser also `/`. It needs no token: who reads it may
 * not have one yet. Its tables are made from what the API itself uses, so they cannot say anything else.
 */
export function docsRoutes(config: ApiConfig) {
  return async (server: HttpServer) => {
    server.all('/', async ({ method, headers }, reply) => {
      reply.header('vary', 'Accept');
      const reads = method === 'GET' || method === 'HEAD';
      if (reads && headers.accept?.includes('text/html')) return reply.redirect('/api/docs');
      throw new DomainError('no-route');
    });
    server.get('/api/docs/manual.css', async (_request, reply) =>
      reply.header('cache-control', 'max-age=60').type('text/css; charset=utf-8').send(STYLE),
    );
    for (const chapter of CHAPTERS) {
      server.get(`/api/docs${chapter.path}`, async (request, reply) => {
        const { protocol, host } = request;
        const url = config.PUBLIC_URL ?? `${protocol}://${host}`;
        const content = chapter.content({ url, config, operations: operationsOf(server.swagger()) });
        return reply
          .headers({ 'content-security-policy': POLICY, 'cache-control': 'no-cache' })
          .type('text/html; charset=utf-8')
          .send(page(chapter, config.CARRIER_NAME, content).text);
      });
    }
  };
}

function page({ path, title }: Chapter, carrier: string, content: Html): Html {
  return html`<!doctype html>
<html lang="es">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Guías de envío</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/api/docs/manual.css">
</head>
<body>
<a class="saltar" href="#contenido">Saltar al contenido</a>
<header>
<p>${carrier} · Guías de envío</p>
<nav aria-label="Capítulos"><ul>
${CHAPTERS.map(
  (chapter) =>
    html`<li><a href="/api/docs${chapter.path}"${chapter.path === path && html` aria-current="page"`}>${chapter.title}</a></li>\n`,
)}<li><a href="/api/docs/probar">Probar</a></li>
</ul></nav>
</header>
<main id="contenido" tabindex="-1">
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;
}
