import { DomainError } from '#shared/errors/domain-error.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { ApiOptions } from '../config.ts';
import { type Chapter, escapeHtml, renderChapters, STYLE } from './chapters.ts';
import { chapterValues } from './values.ts';

/** A page has a style, no script, no form and stands in no frame. */
const POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** Stands in the chapters for the address at which the client reaches the API. */
const URL_MARK = '{url}';

/**
 * `GET /api/docs`: the guide for integrators, in Spanish, and in a browser also `/`. It needs no token: who reads it may
 * not have one yet. Its tables are made from what the API itself uses, so they cannot say anything else.
 */
export async function docsRoutes(server: HttpServer, { config }: ApiOptions): Promise<void> {
  server.all('/', async ({ method, headers }, reply) => {
    reply.header('vary', 'Accept');
    const reads = method === 'GET' || method === 'HEAD';
    if (reads && headers.accept?.includes('text/html')) return reply.redirect('/api/docs');
    throw new DomainError('no-route');
  });
  server.get('/api/docs/manual.css', async (_request, reply) =>
    reply.header('cache-control', 'max-age=60').type('text/css; charset=utf-8').send(STYLE),
  );
  const pages = new Map<string, string>();
  server.addHook('onReady', async () => {
    const chapters = renderChapters({ ...chapterValues(config, server.swagger()), url: URL_MARK });
    for (const chapter of chapters) pages.set(chapter.path, page(chapter, chapters, config.CARRIER_NAME));
  });
  server.get<{ Params: { chapter?: string } }>('/api/docs/:chapter?', async (request, reply) => {
    const { chapter } = request.params;
    const html = pages.get(chapter ? `/${chapter}` : '');
    if (html === undefined) throw new DomainError('no-route');
    const url = config.PUBLIC_URL ?? `${request.protocol}://${request.host}`;
    return reply
      .headers({ 'content-security-policy': POLICY, 'cache-control': 'no-cache' })
      .type('text/html; charset=utf-8')
      .send(html.replaceAll(URL_MARK, () => escapeHtml(url)));
  });
}

function page({ path, title, content }: Chapter, chapters: readonly Chapter[], carrier: string): string {
  const links = chapters.map((chapter) => {
    const current = chapter.path === path ? ' aria-current="page"' : '';
    return `<li><a href="/api/docs${chapter.path}"${current}>${escapeHtml(chapter.title)}</a></li>`;
  });
  return `<!doctype html>
<html lang="es">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Guías de envío</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/api/docs/manual.css">
</head>
<body>
<a class="saltar" href="#contenido">Saltar al contenido</a>
<header>
<p>${escapeHtml(carrier)} · Guías de envío</p>
<nav aria-label="Capítulos"><ul>
${links.join('\n')}
<li><a href="/api/docs/probar">Probar</a></li>
</ul></nav>
</header>
<main id="contenido" tabindex="-1">
<h1>${escapeHtml(title)}</h1>
${content}</main>
</body>
</html>
`;
}
