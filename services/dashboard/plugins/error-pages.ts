import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorPage } from '../views/error-page.ts';
import { loginPage } from '../views/login-page.ts';

/**
 * Creates an onSend hook that shows errors as pages. Errors leave as JSON, as in every service; a person who opens a page
 * gets the same error as a page, and the login page where there is no session.
 */
export function showErrorsAsPages(runbookUrl: string | undefined) {
  return async (request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> => {
    const error = opensPage(request) && reply.statusCode >= 400 && parseError(reply, payload);
    if (!error) return payload;
    const status = reply.statusCode;
    if (status === 401 && request.method === 'GET') {
      reply.code(303).header('location', '/entrar').removeHeader('content-type');
      return '';
    }
    reply.type('text/html; charset=utf-8');
    if (request.url === '/entrar') return loginPage({ message: error.message });
    return errorPage({ ...error, status, outage: status === 503, runbookUrl });
  };
}

/** Browsers name HTML first only when a person goes to a page, not for what its scripts ask. */
function opensPage({ headers }: FastifyRequest): boolean {
  return headers.accept?.startsWith('text/html') ?? false;
}

/** Returns message and request id of the envelope of errors; undefined for any other payload. */
function parseError(reply: FastifyReply, payload: unknown) {
  const json = String(reply.getHeader('content-type')).startsWith('application/json');
  if (!json || typeof payload !== 'string') return undefined;
  const { response, message, requestId } = JSON.parse(payload) as Record<string, string>;
  return response === 'ERROR' ? { message, requestId } : undefined;
}
