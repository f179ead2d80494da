import { Agent, type buildConnector, type Dispatcher } from 'undici';
import { type Message, signedHeaders } from './message.ts';
import service from './package.json' with { type: 'json' };
import { ProxyFailed } from './proxy-connector.ts';
import { LookupFailed, NameFailed, NotPublic } from './public-addresses.ts';

/** Time limit of a request, from the DNS look-up to the status of the answer. */
const REQUEST_TIMEOUT_MS = 15_000;
/** It is small, because only the status of an answer matters. */
const MAX_ANSWER_BYTES = 1_024;
/** Time limit of reading the answer, in ms. */
const READ_ANSWER_MS = 1_000;
/** Holds even if the receiver keeps idle connections longer. */
const KEEP_ALIVE_MS = 10_000;
/**
 * No limit of connections, because one server may receive for many accounts. A webhook that hangs would delay the
 * others.
 */
const ONE_AT_A_TIME = {
  pipelining: 1,
  allowH2: false,
  keepAliveTimeout: KEEP_ALIVE_MS,
  keepAliveMaxTimeout: KEEP_ALIVE_MS,
};
const USER_AGENT = `shipping-guides-webhooks/${service.version}`;

export type Receiver = { url: string; secrets: readonly string[]; canaryOf?: string | undefined };

type Options = {
  timeoutMs?: number;
  /** Where the canary of a cell receives: the one address in our network, which only its own webhook may have. */
  canary?: { url: string; cell: string } | undefined;
};

export type Outcome = {
  /** Time until the status of the answer. */
  ms: number;
  /** Absent without an answer. */
  status?: number;
  /** Why the message was not accepted, in words for the account; absent after a success. */
  failure?: string;
  /** The DNS answers for no name, or the proxy for none, so our own DNS or proxy may be at fault. */
  mayBeOurs?: true;
  /** The pause that the receiver asks for, in seconds. */
  retryAfterS?: number;
};

export class WebhookClient {
  readonly #agent: Agent;
  /** For the canary's webhook: resolves names by the system, because `canary` is a short name of the cluster, and never uses the proxy. */
  readonly #canaryAgent = new Agent({ ...ONE_AT_A_TIME });
  readonly #canary: Options['canary'];
  readonly #now: () => number;
  readonly #timeoutMs: number;

  /**
   * @param connect `directConnector` or `proxyConnector`.
   * @param now returns the time that messages are signed with, in ms since 1970: receivers refuse one that is minutes off.
   */
  constructor(
    connect: buildConnector.connector,
    now: () => number,
    { timeoutMs = REQUEST_TIMEOUT_MS, canary }: Options = {},
  ) {
    this.#now = now;
    this.#timeoutMs = timeoutMs;
    this.#canary = canary;
    this.#agent = new Agent({ ...ONE_AT_A_TIME, connect });
  }

  /** Posts once, and follows no redirection. Never throws, because the outcome has the error. */
  async post(receiver: Receiver, message: Message): Promise<Outcome> {
    const from = performance.now();
    const ended = () => Math.round(performance.now() - from);
    const headers = signedHeaders(message, receiver.secrets, new Date(this.#now()));
    try {
      const response = await this.#send(receiver, message.body, headers);
      const outcome = { ms: ended(), ...outcomeOf(response) };
      await discardAnswer(response);
      return outcome;
    } catch (error) {
      return { ms: ended(), ...failureOf(error as Error) };
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#agent.destroy(), this.#canaryAgent.destroy()]);
  }

  /** @throws NotPublic if another account's webhook has the canary's address. */
  #agentFor({ url, canaryOf }: Receiver): Agent {
    if (url !== this.#canary?.url) return this.#agent;
    if (canaryOf !== this.#canary.cell) throw new NotPublic(url);
    return this.#canaryAgent;
  }

  async #send(
    receiver: Receiver,
    body: string,
    headers: Record<string, string>,
  ): Promise<Dispatcher.ResponseData> {
    const { origin, pathname, search } = new URL(receiver.url);
    return this.#agentFor(receiver).request({
      origin,
      path: `${pathname}${search}`,
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'user-agent': USER_AGENT },
      body,
      signal: AbortSignal.timeout(this.#timeoutMs),
    });
  }
}

function outcomeOf({ statusCode: status, headers }: Dispatcher.ResponseData): Omit<Outcome, 'ms'> {
  if (status >= 200 && status < 300) return { status };
  const retryAfterS = retryAfterOf(headers['retry-after']);
  return {
    status,
    failure: status >= 300 && status < 400 ? `Redirige (${status}), y no se sigue` : `Respondio ${status}`,
    ...(retryAfterS !== undefined && { retryAfterS }),
  };
}

/** Reads a short answer, so that its connection is used again. Drops a longer or slower answer. */
async function discardAnswer({ body }: Dispatcher.ResponseData): Promise<void> {
  const end = setTimeout(() => body.destroy(), READ_ANSWER_MS);
  let bytes = 0;
  try {
    for await (const piece of body) {
      bytes += piece.length;
      if (bytes > MAX_ANSWER_BYTES) break; // destroys the stream
    }
  } catch {
    // The status has already decided the outcome.
  } finally {
    clearTimeout(end);
  }
}

/** @param header seconds, or a date (RFC 9110, 10.2.3). */
function retryAfterOf(header: string | string[] | undefined): number | undefined {
  const text = String(header ?? '');
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}

/** Describes an error without revealing our network, not even its names. */
function failureOf(error: Error & { code?: string }): Pick<Outcome, 'failure' | 'mayBeOurs'> {
  const { name, code = '' } = error;
  if (error instanceof LookupFailed) return { failure: 'No se pudo consultar el DNS', mayBeOurs: true };
  if (error instanceof ProxyFailed) return { failure: 'No se pudo salir a internet', mayBeOurs: true };
  if (error instanceof NameFailed) return { failure: 'El DNS de ese nombre no responde' };
  if (error instanceof NotPublic) return { failure: 'El nombre no lleva a una direccion publica' };
  if (name === 'TimeoutError' || code === 'UND_ERR_CONNECT_TIMEOUT')
    return { failure: 'No respondio a tiempo' };
  if (/CERT|SELF_SIGNED|SSL|TLS|VERIFY/.test(code)) return { failure: 'El certificado TLS no es valido' };
  return { failure: 'No se pudo conectar' };
}
