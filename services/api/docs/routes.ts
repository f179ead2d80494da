import { DomainError } from '#shared/errors/domain-error.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { pagePolicy, policyHeader } from '#shared/http/security-headers.ts';
import { escapeHtml, pageKit } from '#shared/pages/page-kit.ts';
import type { ApiOptions } from '../config.ts';
import { type Chapter, renderChapters } from './chapters.ts';
import { chapterValues } from './values.ts';

const kit = pageKit(new URL('.', import.meta.url));
const chapterPage = kit.page<Chapter & { chapters: readonly Chapter[]; carrier: string }>('capitulo');
const STYLE = kit.style('manual.css');
const POLICY = policyHeader(pagePolicy());
/** Placeholder for the API's address, as the client reaches it. */
const URL_MARK = '{url}';

/**
 * `GET /api/docs`: the guide for integrators, in Spanish; in a browser also `/`. It needs no token: a reader may not
 * have one yet.
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
    for (const chapter of chapters) {
      pages.set(chapter.path, chapterPage({ ...chapter, chapters, carrier: config.CARRIER_NAME }));
    }
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
