import { readFileSync } from 'node:fs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { pagePolicy } from '#shared/http/security-headers.ts';
import { bytes, count, duration, number } from '#shared/pages/format.ts';
import { DOCUMENT_STYLE, pageKit } from '#shared/pages/page-kit.ts';
import type { Diagnosis } from './diagnoses/diagnosis.ts';
import { dashboardErrors } from './errors.ts';

/** These show an unknown value as a dash. */
const helpers = {
  number,
  duration: (ms: number | undefined) => (ms === undefined ? '—' : duration(ms)),
  bytes: (size: number | undefined) => (size === undefined ? '—' : bytes(size)),
  count,
  between: (from: number, to: number) => duration(to - from),
  encode: encodeURIComponent,
};
const VIEWS = new URL('views/', import.meta.url);
const kit = pageKit(VIEWS, ['layout', 'encabezado', 'respuestas', 'webhook-estado'], helpers);

export const compilePage = kit.page;
export const pausePage = compilePage<object>('pausar');
const loginTemplate = compilePage<{
  message: string | undefined;
  /** The stores that the dashboard does not reach: nobody can log in. The page then asks again by itself. */
  outages: OutageView[];
  isAway: boolean;
}>('entrar');
const errorTemplate = compilePage<{
  status: number;
  requestId: string | undefined;
  /** The page then reloads by itself. */
  isOutage: boolean;
  headline: string | undefined;
  outages: OutageView[];
  /** How "Estado" begins; empty without an outage. */
  customer: string;
  /** Whether this process has not read the user who is logged in. */
  isUserUnknown: boolean;
}>('error');
type OutageView = Diagnosis & { login: string; meanwhile: string };
/** Finds the stores that the dashboard itself does not reach, and what the canary found last. */
type Outages = { outages(): Promise<Diagnosis[]>; customer(): Promise<string> };

/** What an outage of a store of the dashboard means to a person, by the id of its diagnosis. */
const MEANINGS: Readonly<Record<string, Pick<OutageView, 'login' | 'meanwhile'>>> = {
  mongodb: {
    login: 'ahora nadie puede entrar, porque ahí están los usuarios. Quien ya entró sigue viendo Estado',
    meanwhile: 'Mientras tanto no se crean guías ni se entregan etiquetas',
  },
  redis: {
    login: 'ahora nadie puede entrar ni ver Estado, porque ahí están las sesiones',
    meanwhile: 'Mientras tanto no se imprimen etiquetas nuevas',
  },
  'redis-read-only': {
    login: 'ahora nadie puede entrar, porque no se guarda ninguna sesión. Quien ya entró sigue viendo Estado',
    meanwhile: 'Mientras tanto no se imprimen etiquetas nuevas',
  },
};

async function outageViews(watch: Outages): Promise<OutageView[]> {
  const unknown = { login: 'ahora nadie puede entrar', meanwhile: '' };
  return (await watch.outages()).map((outage) => ({ ...outage, ...(MEANINGS[outage.id] ?? unknown) }));
}

/** @param message says why a login failed. If a store is away, the page says that in its place. */
export async function loginPage(watch: Outages, message?: string): Promise<string> {
  const outages = await outageViews(watch);
  return loginTemplate({ message, outages, isAway: outages.length > 0 });
}

export function sendPage(reply: FastifyReply, html: string): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(html);
}

const file = (name: string) => readFileSync(new URL(name, VIEWS), 'utf8');
const ASSETS = {
  'tablero.css': ['text/css', kit.style('encabezado.css', 'tablero.css')],
  'runbook.css': ['text/css', kit.style(DOCUMENT_STYLE, 'encabezado.css', 'runbook.css')],
  'estado.js': ['text/javascript', file('estado.js')],
  'runbook.js': ['text/javascript', file('runbook.js')],
  'icono.svg': ['image/svg+xml', file('icono.svg')],
} as const;

/** Serves the files of pages without a session, because the login page loads them too. */
export async function assetRoutes(server: HttpServer): Promise<void> {
  for (const [name, [type, body]] of Object.entries(ASSETS)) {
    server.get(`/recursos/${name}`, async (_request, reply) =>
      reply.header('cache-control', 'max-age=60').type(`${type}; charset=utf-8`).send(body),
    );
  }
}

/** Shows errors as pages to a person in a browser. Shows the login page to a person without a session. */
export function showErrorsAsPages(watch: Outages) {
  return async (request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> => {
    const status = reply.statusCode;
    // Browsers name HTML first only for navigation.
    const opensPage = request.headers.accept?.startsWith('text/html') ?? false;
    const json = String(reply.getHeader('content-type')).startsWith('application/json');
    if (!opensPage || status < 400 || !json || typeof payload !== 'string') return payload;
    const { response, message, codigo, requestId } = JSON.parse(payload) as Record<string, string>;
    if (response !== 'ERROR') return payload;
    if (status === 401 && request.method === 'GET') {
      reply.code(303).header('location', '/entrar').removeHeader('content-type');
      return '';
    }
    reply.type('text/html; charset=utf-8');
    const isOutage = status === 503 && codigo !== dashboardErrors.overloaded.codigo;
    // The page names the store that is away, unless it has just come back.
    if (request.url === '/entrar') return loginPage(watch, isOutage ? LOGIN_FAILED : message);
    const outages = isOutage ? await outageViews(watch) : [];
    return errorTemplate({
      ...{ status, requestId, isOutage, outages, customer: isOutage ? await watch.customer() : '' },
      headline: isOutage ? (outages[0]?.text ?? 'MongoDB o Redis no respondió a tiempo') : message,
      isUserUnknown: !request.apiUser && outages.length > 0 && outages.every(({ id }) => id === 'mongodb'),
    });
  };
}

const LOGIN_FAILED = 'No se pudo entrar: intente de nuevo';

/** Allows only the dashboard's own files, and no script or style inside a page. */
export const PAGE_POLICY = pagePolicy({
  'script-src': ["'self'"],
  'img-src': ["'self'"],
  'connect-src': ["'self'"],
  'form-action': ["'self'"],
});

/**
 * Forbids caching, and refuses cross-origin requests (CSRF, error `other-origin`). SameSite cookies do not keep out
 * other ports and subdomains of our site. Browsers send `Sec-Fetch-Site`, and over plain http `Origin` (OWASP,
 * "Cross-Site Request Forgery Prevention"). A request without both headers is refused.
 */
export const pageSecurity = fp(async (server: HttpServer) => {
  server.addHook('onRequest', async (request, reply) => {
    // With `no-referrer` browsers send `Origin: null` with forms.
    reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'same-origin' });
    const safe = request.method === 'GET' || request.method === 'HEAD';
    if (!safe && !isSameOrigin(request)) throw new DomainError('other-origin');
  });
});

function isSameOrigin({ headers, host }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined ? URL.parse(headers.origin ?? '')?.host === host : site === 'same-origin';
}
