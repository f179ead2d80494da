import { readdirSync, readFileSync } from 'node:fs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { pagePolicy, policyHeader } from '#shared/http/security-headers.ts';
import { escapeHtml } from '#shared/pages/page-kit.ts';
import type { RoomOptions } from '../http/room.ts';
import { contentsFor, renderChapters } from './chapters.ts';
import { chapterPage, resultsPage, SCRIPT, STYLE, tryPage, tryView } from './pages.ts';
import type { OpenApiDocument } from './reference.ts';
import { MAX_QUERY, searchOf } from './search.ts';
import { chapterValues } from './values.ts';

/** The pages have a form that searches. */
const POLICY = policyHeader(pagePolicy({ 'form-action': ["'self'"] }));
/** The page to try requests asks this API, and shows the labels that it gets. */
const TRY_POLICY = policyHeader(
  pagePolicy({
    'form-action': ["'self'"],
    'script-src': ["'self'"],
    'connect-src': ["'self'"],
    'img-src': ['data:', 'blob:'],
    'object-src': ['blob:'],
    'frame-src': ['blob:'],
  }),
);
/** Placeholder for the API's address, as the client reaches it. */
const URL_MARK = '{url}';
/** Programs that integrators begin with. */
const EXAMPLES = new URL('../../../examples/', import.meta.url);

/**
 * `GET /api/docs`: the guide for integrators, in Spanish; in a browser also `/`. It needs no token: a reader may not
 * have one yet.
 */
export async function manualRoutes(server: HttpServer, options: RoomOptions): Promise<void> {
  server.all('/', async ({ method, headers }, reply) => {
    reply.header('vary', 'Accept');
    const reads = method === 'GET' || method === 'HEAD';
    if (reads && headers.accept?.includes('text/html')) return reply.redirect('/api/docs');
    throw new DomainError('no-route');
  });
  for (const [file, type, content] of [
    ['manual.css', 'text/css', STYLE],
    ['probar.js', 'text/javascript', SCRIPT],
  ] as const) {
    server.get(`/api/docs/${file}`, async (_request, reply) =>
      reply.header('cache-control', 'max-age=60').type(`${type}; charset=utf-8`).send(content),
    );
  }
  exampleRoutes(server);
  chapterRoutes(server, options);
}

/** `GET /api/docs/ejemplos/{file}`: the examples of the repository, as text. */
function exampleRoutes(server: HttpServer): void {
  for (const entry of readdirSync(EXAMPLES, { withFileTypes: true })) {
    if (!entry.isFile() || entry.name.endsWith('.md')) continue;
    const program = readFileSync(new URL(entry.name, EXAMPLES), 'utf8');
    server.get(`/api/docs/ejemplos/${entry.name}`, async (_request, reply) =>
      reply.header('cache-control', 'no-cache').type('text/plain; charset=utf-8').send(program),
    );
  }
}

function chapterRoutes(server: HttpServer, { config, rooms }: RoomOptions): void {
  const { CARRIER_NAME: carrier, PUBLIC_URL } = config;
  const pages = new Map<string, string>();
  let results = (_query: string): string => '';
  server.addHook('onReady', async () => {
    const document = server.swagger() as object as OpenApiDocument;
    const own = rooms.map(({ manual }) => manual?.values?.(config) ?? {});
    const values = { ...chapterValues(own, server.errorTable, document), url: URL_MARK };
    const chapters = renderChapters(
      Object.assign({}, ...rooms.map(({ manual }) => manual?.chapters)),
      values,
    );
    const trying = tryView(document);
    for (const { name, path, title, content } of chapters) {
      const view = { title, content, carrier, contents: contentsFor(path, chapters), query: '' };
      pages.set(path, name === 'probar' ? tryPage({ ...view, ...trying }) : chapterPage(view));
    }
    const search = searchOf(chapters);
    const contents = contentsFor('/buscar', chapters);
    results = (query) => {
      const found = search(query);
      const title = query === '' ? 'Buscar' : `${found.length > 0 ? 'Resultados de' : 'Nada de'} «${query}»`;
      return resultsPage({ title, carrier, contents, query, found });
    };
  });
  const send = ({ protocol, host }: FastifyRequest, reply: FastifyReply, html: string, policy = POLICY) => {
    const url = PUBLIC_URL ?? `${protocol}://${host}`;
    return reply
      .headers({ 'content-security-policy': policy, 'cache-control': 'no-cache' })
      .type('text/html; charset=utf-8')
      .send(html.replaceAll(URL_MARK, () => escapeHtml(url)));
  };
  server.get<{ Querystring: { q?: string | string[] } }>('/api/docs/buscar', async (request, reply) => {
    const query = [request.query.q].flat()[0]?.trim().slice(0, MAX_QUERY) ?? '';
    return send(request, reply.header('x-robots-tag', 'noindex'), results(query));
  });
  server.get<{ Params: { chapter?: string } }>('/api/docs/:chapter?', async (request, reply) => {
    const { chapter } = request.params;
    const html = pages.get(chapter ? `/${chapter}` : '');
    if (html === undefined) throw new DomainError('no-route');
    return send(request, reply, html, chapter === 'probar' ? TRY_POLICY : POLICY);
  });
}
