import { Agent, type buildConnector, type Dispatcher } from 'undici';
import type { Secrets } from '#shared/stores/webhook-store.ts';
import { type Message, signedHeaders } from './message.ts';
import { NotPublic } from './public-addresses.ts';

/** Time limit of a request, in ms, from the look-up of the name to the end of the answer. */
const TIMEOUT_MS = 15_000;
/** Most bytes of an answer that are read; a receiver has nothing to say but its status. */
const MAX_ANSWER = 1_024;

export type Receiver = { url: string; secrets: Secrets };

export type Outcome = {
  ms: number;
  /** Absent where there was no answer. */
  status?: number;
  /** Why the message was not taken, in words for the webhook's account; absent where it was taken. */
  failure?: string;
  /** What the receiver asks us to wait, in seconds. */
  retryAfterS?: number;
};

export class Poster {
  readonly #agent: Agent;

  readonly #timeoutMs: number;

  /** @param connect `publicConnector()`, or `anyConnector()` where receivers may be in our own networks. */
  constructor(connect: buildConnector.connector, timeoutMs = TIMEOUT_MS) {
    this.#timeoutMs = timeoutMs;
    // A server may receive for many accounts. With a bound on its connections, a webhook that hangs would hold up others.
    this.#agent = new Agent({ connect, pipelining: 1, allowH2: false, keepAliveTimeout: 10_000 });
  }

  /** Posts a message once, and follows no redirection. It does not fail: the outcome says what went wrong. */
  async post({ url, secrets }: Receiver, message: Message): Promise<Outcome> {
    const from = performance.now();
    const now = new Date();
    const valid = secrets.filter(({ until }) => !until || until > now).map(({ value }) => value);
    const outcome = await this.#send(url, message.body, signedHeaders(message, valid, now)).catch(
      (error: Error) => ({ failure: reasonOf(error) }),
    );
    return { ...outcome, ms: Math.round(performance.now() - from) };
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  async #send(url: string, body: string, headers: Record<string, string>): Promise<Omit<Outcome, 'ms'>> {
    const { origin, pathname, search } = new URL(url);
    const response = await this.#agent.request({
      origin,
      path: `${pathname}${search}`,
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'shipping-guides-webhooks' },
      body,
      signal: AbortSignal.timeout(this.#timeoutMs),
    });
    await readLittle(response);
    const { statusCode: status } = response;
    if (status >= 200 && status < 300) return { status };
    const retryAfterS = retryAfterOf(response.headers['retry-after']);
    return {
      status,
      failure: status >= 300 && status < 400 ? `Redirige (${status}), y no se sigue` : `Respondio ${status}`,
      ...(retryAfterS !== undefined && { retryAfterS }),
    };
  }
}

/** Reads a short answer, so that its connection can be used again, and drops a longer one with its connection. */
async function readLittle({ body }: Dispatcher.ResponseData): Promise<void> {
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > MAX_ANSWER) break; // which destroys the stream
  }
}

/** @returns seconds, of a header in seconds or a date (RFC 9110, 10.2.3). */
function retryAfterOf(header: string | string[] | undefined): number | undefined {
  const text = String(header ?? '');
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}

/** What customers are told of errors: nothing of our network, also not which names it has. */
function reasonOf(error: Error & { code?: string }): string {
  const { name, code = '' } = error;
  if (name === 'TimeoutError' || code === 'UND_ERR_CONNECT_TIMEOUT') return 'No respondio a tiempo';
  if (error instanceof NotPublic || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return 'El nombre no lleva a una direccion publica';
  }
  if (/CERT|SELF_SIGNED|SSL|TLS|VERIFY/.test(code)) return 'El certificado TLS no es valido';
  return 'No se pudo conectar';
}
