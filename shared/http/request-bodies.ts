import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { DomainError } from '#shared/errors/domain-error.ts';
import { MAX_BODY_VALUES } from './http-errors.ts';
import type { HttpServer } from './http-server.ts';

/**
 * Accepts only JSON in UTF-8 (RFC 8259, 8.1). Fastify would also accept plain text, and replace invalid bytes. A label
 * would then show a name that nobody sent.
 * @param options.mayBeEmpty whether an empty body counts as absent, because some clients mark each request as JSON.
 */
export function acceptOnlyJson(server: HttpServer, { mayBeEmpty = false } = {}): void {
  // `__proto__` is a field like others: whoever reads the body refuses it by its name.
  const parse = server.getDefaultJsonParser('ignore', 'ignore');
  server.removeContentTypeParser(['text/plain', 'application/json']);
  server.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (mayBeEmpty && body.length === 0) return done(null, undefined);
    if (!isUtf8(body)) return done(notJson(request, 'body-not-utf8'));
    if (hasTooManyValues(body)) return done(new DomainError('too-many-values'));
    nextStep(body, () =>
      parse(request, body.toString('utf8'), (error, value) =>
        nextStep(body, () => done(error && notJson(request, 'invalid-json'), value)),
      ),
    );
  });
}

/** Lets other requests run between counting, parsing and checking a large body. */
function nextStep(body: Buffer, step: () => void): void {
  if (body.length > MAX_BODY_VALUES) setImmediate(step);
  else step();
}

/** Some clients name an encoding that they do not apply, so only a body that is not JSON is called compressed. */
function notJson({ headers }: FastifyRequest, code: 'body-not-utf8' | 'invalid-json'): DomainError {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  return new DomainError(encoding === 'identity' ? code : 'body-compressed');
}

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = Buffer.from('"\\,[{');

/**
 * Returns whether JSON has more values than any request needs. Parsing a million would block the event loop far
 * longer than counting them.
 */
function hasTooManyValues(body: Buffer): boolean {
  if (body.length <= MAX_BODY_VALUES) return false;
  let values = 0;
  let inString = false;
  for (let at = 0; at < body.length && values <= MAX_BODY_VALUES; at++) {
    const byte = body[at] ?? 0;
    if (inString) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === COMMA) values++;
    // An array or object has one more value than commas. In ASCII, `]` and `}` are two after `[` and `{`.
    else if ((byte === BRACKET || byte === BRACE) && body[at + 1] !== byte + 2) values++;
  }
  return values > MAX_BODY_VALUES;
}

/** Bytes of a refused body that are read before the connection closes. */
const MAX_BYTES = 16 * 1024 * 1024;
/** How long the next bytes of it may take. All of it may take as long as a whole request. */
const MAX_PAUSE_MS = 2_000;

/**
 * Reads the rest of a refused body before 413 is answered. Closing during the upload resets the connection, and a
 * proxy in front answers 502 in place of 413.
 */
export function readOnBeforeClosing(server: HttpServer): void {
  server.addHook('onSend', async ({ raw }, reply) => {
    if (reply.statusCode === 413) await discardRest(raw);
  });
}

/** Resolves when the body has ended, is too large, or stands still. */
async function discardRest(body: IncomingMessage): Promise<void> {
  if (body.readableEnded || body.destroyed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, MAX_PAUSE_MS);
  let bytes = 0;
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    timer.refresh();
    if (bytes > MAX_BYTES) resolve();
  };
  body.on('data', count).once('end', resolve).once('close', resolve).on('error', resolve);
  await promise;
  clearTimeout(timer);
  body.off('data', count).pause();
}
