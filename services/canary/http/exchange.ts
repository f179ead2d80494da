import { type IncomingHttpHeaders, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIPv6, type LookupFunction } from 'node:net';
import { duration } from '#shared/pages/format.ts';

/** Where a request goes: a base URL, and the address of its host if that is to be one of several. */
export type Endpoint = { url: string; address?: string };
export type RequestOptions = {
  method?: 'GET' | 'POST' | 'DELETE';
  path: string;
  headers?: Record<string, string>;
  body?: string;
  /** Time limit from the look-up of the name to the last byte of the answer, in ms. */
  deadlineMs: number;
};
/** `ms`: time until the last byte. */
export type Answer = { status: number; headers: IncomingHttpHeaders; body: Buffer; ms: number };

/** Nothing came back, or not all of it. The message says why, in Spanish. */
export class NoAnswer extends Error {
  override name = 'NoAnswer';
  readonly isAtDeadline: boolean;

  constructor(message: string, isAtDeadline: boolean) {
    super(message);
    this.isAtDeadline = isAtDeadline;
  }
}

/** Most bytes of an answer: more than the largest list of branches. */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Makes one request over a connection of its own, because a connection that is kept hides a balancer's dead leg. Follows no redirect.
 * @throws NoAnswer where no answer came within the deadline, or not the whole body.
 */
export function exchange({ url, address }: Endpoint, request: RequestOptions): Promise<Answer> {
  const { method = 'GET', path, headers, body, deadlineMs } = request;
  const from = performance.now();
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const send = url.startsWith('https:') ? requestHttps : requestHttp;
  const sent = send(new URL(path, url), {
    method,
    agent: false,
    headers: { ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) },
    ...(address !== undefined && { lookup: leadTo(address) }),
  });
  const deadline = setTimeout(() => {
    reject(new NoAnswer(`sin respuesta en ${duration(deadlineMs)}`, true));
    sent.destroy();
  }, deadlineMs);
  const fail = (error: NodeJS.ErrnoException) => reject(new NoAnswer(wordsOf(error), false));
  sent.on('error', fail);
  sent.on('response', (answer) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    answer.on('data', (piece: Buffer) => {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes > MAX_BYTES) sent.destroy();
    });
    // Node reports a body that ends before its length, or without its last chunk, as an error.
    answer.on('error', () => reject(new NoAnswer('la respuesta se cortó', false)));
    answer.on('end', () => {
      const { statusCode: status = 0, headers } = answer;
      resolve({ status, headers, body: Buffer.concat(pieces), ms: performance.now() - from });
    });
  });
  sent.end(body);
  return promise.finally(() => clearTimeout(deadline));
}

/** Connects to this address, whatever the DNS says. The name stays that of the request and of the certificate. */
function leadTo(address: string): LookupFunction {
  const family = isIPv6(address) ? 6 : 4;
  return (_name, { all }, found) => (all ? found(null, [{ address, family }]) : found(null, address, family));
}

function wordsOf({ code = '', message }: NodeJS.ErrnoException): string {
  if (code === 'CERT_HAS_EXPIRED') return 'el certificado TLS venció';
  if (/CERT|SELF_SIGNED|SSL|TLS|VERIFY/.test(code)) return 'el certificado TLS no es válido';
  if (/^(ENOTFOUND|EAI_AGAIN|ENODATA)$/.test(code)) return 'el DNS no da ninguna dirección';
  if (code === 'ECONNREFUSED') return 'nadie escucha en esa dirección';
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'la conexión se cortó sin respuesta';
  if (code.startsWith('HPE_')) return 'la respuesta no es HTTP';
  return `no se pudo conectar: ${code || message}`;
}
