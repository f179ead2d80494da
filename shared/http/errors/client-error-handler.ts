import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import { commonHttpErrors } from './http-errors.ts';

/** The codes of Node's parser, which gives up before there is a request, as ours. */
const CODES: Readonly<Record<string, keyof typeof commonHttpErrors>> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-timeout',
};

/** Answers a request that is not HTTP, or is late, with the envelope of all errors, and ends the connection. */
export function clientErrorHandler(
  this: { log: FastifyBaseLogger },
  error: Error & { code?: string },
  socket: Socket,
): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const { status, codigo, message } = commonHttpErrors[CODES[error.code ?? ''] ?? 'bad-request'];
  const requestId = randomUUID();
  this.log.info({ requestId, status, code: error.code }, 'The request could not be read');
  const body = JSON.stringify({ response: 'ERROR', message, codigo, requestId });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Content-Type: application/json; charset=utf-8',
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  if (socket.writable) socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  else socket.destroy();
}
