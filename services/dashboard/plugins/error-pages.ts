import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorPage, loginPage } from '../views/pages.ts';

/**
 * An onSend hook. Errors leave as in every service of ours, as JSON; a person who opens a page gets the same as a
 * page, and without a session the one to log in.
 */
export function showErrorsAsPages(runbookUrl: string | undefined) {
  return async (request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> => {
    const json = String(reply.getHeader('content-type')).startsWith('application/json');
    if (reply.statusCode < 400 || !opensPage(request) || !json || typeof payload !== 'string') return payload;
    const { response, message, requestId } = JSON.parse(payload) as Record<string, string>;
    if (response !== 'ERROR') return payload;
    const status = reply.statusCode;
    if (status === 401 && request.method === 'GET') {
      reply.code(303).header('location', '/entrar').removeHeader('content-type');
      return '';
    }
    reply.type('text/html; charset=utf-8');
    if (request.url === '/entrar') return loginPage({ message });
    return errorPage({ status, message, requestId, outage: status === 503, runbookUrl });
  };
}

/** Browsers name HTML first only when a person goes to a page, not for what its scripts ask. */
function opensPage({ headers }: FastifyRequest): boolean {
  return headers.accept?.startsWith('text/html') ?? false;
}
