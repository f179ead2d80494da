import { randomUUID } from 'node:crypto';
import service from '../package.json' with { type: 'json' };
import { type Credential, CredentialRefused } from './credential.ts';
import { type Answer, exchange, NoAnswer, type RequestOptions } from './exchange.ts';
import type { WayIn } from './ways.ts';

/** A request was not answered as a customer needs it. The message says how, in Spanish: "503 saturado". */
export class UnexpectedAnswer extends Error {
  override name = 'UnexpectedAnswer';
  /** Absent without an answer. */
  readonly status: number | undefined;
  readonly codigo: string | undefined;
  /** By which the logs of the service name the request. */
  readonly requestId: string | undefined;
  /** Nothing came within the deadline. */
  readonly isAtDeadline: boolean;

  constructor(
    message: string,
    of: Partial<Pick<UnexpectedAnswer, 'status' | 'codigo' | 'requestId' | 'isAtDeadline'>> = {},
  ) {
    super(message);
    this.status = of.status;
    this.codigo = of.codigo;
    this.requestId = of.requestId;
    this.isAtDeadline = of.isAtDeadline ?? false;
  }
}

/** The canary's account has reached a limit of its own. That says nothing of what customers meet. */
export class Limited extends Error {
  override name = 'Limited';
}

type Envelope<Data> = { data: Data; siguiente?: string };

/** The API as a customer with a key sees it, by one way in. */
export class Customer {
  readonly #way: WayIn;
  readonly key: Credential;
  /** How far the clock behind this way is ahead of ours, in ms, by its last answer. */
  aheadMs: number | undefined;

  constructor(way: WayIn, key: Credential) {
    this.#way = way;
    this.key = key;
  }

  /** Returns an answer 200 to a request with the key. @throws UnexpectedAnswer; CredentialRefused where the key is wrong; Limited */
  async send(request: RequestOptions): Promise<Answer> {
    const key = this.key.take();
    const answer = await this.#send(request, { authorization: `Bearer ${key}` });
    // Once it is refused, the same key may be answered 429 as well.
    const isWrong = answer.status === 401 || (this.key.isRefused && answer.status === 429);
    this.key.judge(key, !isWrong);
    if (isWrong) throw new CredentialRefused();
    if (answer.status === 429 && codigoOf(answer) === QUOTA) throw new Limited();
    return required(answer);
  }

  /** Returns the JSON of an answer 200. @throws as `ask`; UnexpectedAnswer where the body is no JSON. */
  async read<Data>(request: RequestOptions & { json?: unknown }): Promise<Envelope<Data>> {
    return parsed(await this.send(withJson(request)));
  }

  /** The same without the key. @throws UnexpectedAnswer */
  async sendAnonymously(request: RequestOptions): Promise<Answer> {
    return required(await this.#send(request));
  }

  async readAnonymously<Data>(request: RequestOptions): Promise<Envelope<Data>> {
    return parsed(await this.sendAnonymously(request));
  }

  async #send(request: RequestOptions, headers: Record<string, string> = {}): Promise<Answer> {
    const requestId = randomUUID();
    const own = { 'user-agent': USER_AGENT, 'x-request-id': requestId };
    try {
      const answer = await exchange(this.#way, {
        ...request,
        headers: { ...own, ...headers, ...request.headers },
      });
      const { date } = answer.headers;
      if (date !== undefined) this.aheadMs = Date.parse(date) - Date.now();
      return answer;
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      throw new UnexpectedAnswer(error.message, { requestId, isAtDeadline: error.isAtDeadline });
    }
  }
}

/** The answer to an account that has reached one of its limits. */
const QUOTA = 'cuota_excedida';

const USER_AGENT = `shipping-guides-canary/${service.version}`;

function withJson({ json, ...request }: RequestOptions & { json?: unknown }): RequestOptions {
  if (json === undefined) return request;
  const headers = { 'content-type': 'application/json', ...request.headers };
  return { ...request, method: 'POST', headers, body: JSON.stringify(json) };
}

function required(answer: Answer): Answer {
  const { status } = answer;
  if (status === 200) return answer;
  const isRedirect = status >= 300 && status < 400;
  const codigo = codigoOf(answer);
  const message = isRedirect ? `redirige (${status})` : [status, codigo].filter(Boolean).join(' ');
  throw unexpected(message, answer, codigo);
}

/** Returns the error of an answer that is not as it must be. */
export function unexpected(message: string, { status, headers }: Answer, codigo?: string): UnexpectedAnswer {
  return new UnexpectedAnswer(message, { status, codigo, requestId: String(headers['x-request-id'] ?? '') });
}

/** A code is a word; whatever else a body says may name a person. */
function codigoOf({ body }: Answer): string | undefined {
  return /"codigo":\s*"([a-z_]{1,40})"/.exec(body.toString('latin1', 0, 2_000))?.[1];
}

function parsed<Data>(answer: Answer): Envelope<Data> {
  try {
    return JSON.parse(answer.body.toString());
  } catch {
    throw unexpected('la respuesta no es JSON', answer);
  }
}
