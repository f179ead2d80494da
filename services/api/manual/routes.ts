import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { pagePolicy, policyHeader } from '#shared/http/security-headers.ts';
import { escapeHtml } from '#shared/pages/page-kit.ts';
import { type Base, changesOf } from '../http/room.ts';
import { addVary } from '../http/vary.ts';
import { contentsFor, renderChapters } from './chapters.ts';
import { listForPrograms, textForPrograms } from './for-programs.ts';
import { EXAMPLES, programValues } from './languages.ts';
import { chapterPage, lostPage, resultsPage, SCRIPT, STYLE, TRY_SCRIPT, tryPage, tryView } from './pages.ts';
import type { OpenApiDocument } from './reference.ts';
import { MAX_QUERY, searchOf } from './search.ts';
import { chapterValues, operationChapters } from './values.ts';

/** The pages have a form that searches, and a script of ours. */
const POLICY = policyHeader(pagePolicy({ 'form-action': ["'self'"], 'script-src': ["'self'"] }));
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

/**
 * `GET /api/docs`: the guide for integrators, in Spanish; in a browser also `/` and `/api`. It needs no token: a reader may
 * not have one yet.
 */
export function manualRoutes(server: HttpServer, base: Base): void {
  for (const path of ['/', '/api']) {
    server.all(path, async (request, reply) => {
      addVary(reply, 'Accept');
      const reads = request.method === 'GET' || request.method === 'HEAD';
      if (reads && wantsPage(request)) return reply.redirect('/api/docs');
      throw new DomainError('no-route');
    });
  }
  for (const [file, type, content] of [
    ['manual.css', 'text/css', STYLE],
    ['probar.js', 'text/javascript', TRY_SCRIPT],
    ['manual.js', 'text/javascript', SCRIPT],
  ] as const) {
    server.get(`/api/docs/${file}`, async (_request, reply) =>
      reply.header('cache-control', 'max-age=60').type(`${type}; charset=utf-8`).send(content),
    );
  }
  exampleRoutes(server);
  chapterRoutes(server, base);
}

function wantsPage({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/html') ?? false;
}

function prefersMarkdown({ headers }: FastifyRequest): boolean {
  return new Negotiator({ headers }).mediaType(['text/html', 'text/markdown']) === 'text/markdown';
}

/** `GET /api/docs/ejemplos/{file}`: the examples of the repository, as text. */
function exampleRoutes(server: HttpServer): void {
  for (const [file, program] of EXAMPLES) {
    server.get(`/api/docs/ejemplos/${file}`, async (_request, reply) =>
      reply.header('cache-control', 'no-cache').type('text/plain; charset=utf-8').send(program),
    );
  }
}

/** The guide, with the API's address as a mark. */
type Guide = {
  /** What stands at the address of a chapter. */
  served: ReadonlyMap<string, { html: string; text: string; policy: string }>;
  /** Lists the chapters for programs that read. */
  list: string;
  /** The page at an address without a chapter. */
  lost: string;
  /** Returns the page of what is found. */
  results(query: string): Promise<string>;
  prepareSearch(): void;
};

function renderGuide(server: HttpServer, { config, rooms, errorTable }: Base): Guide {
  const carrier = config.CARRIER_NAME;
  const document = server.swagger() as object as OpenApiDocument;
  const alRepetir = changesOf(rooms)
    .flatMap(({ repeated }) => repeated.map((sentence) => `- ${sentence}`))
    .join('\n');
  const own = [{ alRepetir }, ...rooms.map(({ manualValues }) => manualValues?.(config) ?? {})];
  const values = { ...chapterValues(own, errorTable, document), ...programValues(URL_MARK), url: URL_MARK };
  const data = rooms.map((room) => room.data);
  const chapters = renderChapters(data, operationChapters(document), values);
  const trying = tryView(document);
  const framed = (title: string, path: string, query = '') => ({
    ...{ title, carrier, query },
    contents: contentsFor(path, chapters),
  });
  const served = chapters.map((chapter) => {
    const { name, path, title, content } = chapter;
    const view = { ...framed(title, path), content };
    const text = textForPrograms(chapter, chapters, URL_MARK);
    const page =
      name === 'probar'
        ? { html: tryPage({ ...view, ...trying }), text, policy: TRY_POLICY }
        : { html: chapterPage(view), text, policy: POLICY };
    return [path, page] as const;
  });
  const search = searchOf(chapters);
  return {
    served: new Map(served),
    list: listForPrograms(carrier, chapters, URL_MARK),
    lost: lostPage(framed('No hay tal página', '/')),
    prepareSearch: search.prepare,
    async results(query) {
      const found = await search.find(query);
      const title = query === '' ? 'Buscar' : `${found.length > 0 ? 'Resultados de' : 'Nada de'} «${query}»`;
      return resultsPage({ ...framed(title, '/buscar', query), found });
    },
  };
}

/**
 * Each chapter as a page, and as Markdown at its address with `.md` or by `Accept: text/markdown`; `/llms.txt` lists them
 * for programs that read. They are rendered before the process has customers, whom a third of a second would hold up.
 */
function chapterRoutes(server: HttpServer, base: Base): void {
  const { PUBLIC_URL } = base.config;
  let guide: Guide;
  server.addHook('onReady', async () => {
    guide = renderGuide(server, base);
  });

  /** Puts the API's address, as the client reaches it, in place of its mark. */
  const addressed = ({ protocol, host }: FastifyRequest, text: string, encode = (url: string) => url) =>
    text.replaceAll(URL_MARK, () => encode(PUBLIC_URL ?? `${protocol}://${host}`));
  const sendPage = (request: FastifyRequest, reply: FastifyReply, html: string, policy = POLICY) =>
    reply
      .headers({ 'content-security-policy': policy, 'cache-control': 'no-cache' })
      .type('text/html; charset=utf-8')
      .send(addressed(request, html, escapeHtml));
  const sendText = (request: FastifyRequest, reply: FastifyReply, text: string, type: string) =>
    reply
      .header('cache-control', 'no-cache')
      .type(`text/${type}; charset=utf-8`)
      .send(addressed(request, text));

  server.get('/llms.txt', async (request, reply) => sendText(request, reply, guide.list, 'plain'));
  server.get<{ Querystring: { q?: string | string[] } }>('/api/docs/buscar', async (request, reply) => {
    const query = [request.query.q].flat()[0]?.trim().slice(0, MAX_QUERY) ?? '';
    return sendPage(request, reply.header('x-robots-tag', 'noindex'), await guide.results(query));
  });
  /** @param address below `/api/docs`. */
  const sendChapter = (request: FastifyRequest, reply: FastifyReply, address: string) => {
    addVary(reply, 'Accept');
    const chapter = guide.served.get(address.replace(/\.md$/, ''));
    if (chapter && (address.endsWith('.md') || prefersMarkdown(request))) {
      return sendText(request, reply, chapter.text, 'markdown');
    }
    if (chapter) {
      guide.prepareSearch(); // who reads a page may search next
      return sendPage(request, reply, chapter.html, chapter.policy);
    }
    if (!wantsPage(request)) throw new DomainError('no-route');
    return sendPage(request, reply.code(404), guide.lost);
  };
  server.get('/api/docs', async (request, reply) => sendChapter(request, reply, ''));
  server.get('/api/docs.md', async (request, reply) => sendChapter(request, reply, '.md'));
  server.get<{ Params: { '*': string } }>('/api/docs/*', async (request, reply) =>
    sendChapter(request, reply, `/${request.params['*']}`),
  );
}
