import type { KindName } from '#shared/contracts/label-file.ts';
import type { SentGuide } from '../orders/read-orders.ts';
import { ApiError, type OnPause, type Problems, send } from './requests.ts';

/** A guide as the service lists it, as far as this command shows it. */
export type CreatedGuide = {
  SEND_GUIA: string;
  SEND_SUCU_DEST: string;
  SEND_ESTATUS: string;
  SEND_FECHA: string;
  SEND_DESTINATARIO: string;
};
type Warned = { advertencias?: Problems['problems']; advertenciasTotal?: number };
export type Credentials = { url: URL; user: string; password: string };

/** Attempts at a login: whoever typed a wrong address learns it soon. */
const LOGIN_ATTEMPTS = 3;
const CANCELLED = 'Cancelado';
/** Guides of one reference that are looked at: those that were cancelled come before the one that stands. */
const MAX_FOUND = 50;

/** The service, as one of its users calls it (docs/contract.md). */
export class GuidesApi {
  readonly #credentials: Credentials;
  readonly #onPause: OnPause;
  #token = '';

  constructor(credentials: Credentials, onPause: OnPause) {
    this.#credentials = credentials;
    this.#onPause = onPause;
  }

  /** @throws ApiError where the user or the password is wrong. */
  async login(): Promise<void> {
    const { url, user, password } = this.#credentials;
    const headers = { 'x-username': user, 'x-password': password };
    const login = new URL('api/auth/login', url);
    const answer = await send(login, { method: 'POST', headers }, this.#onPause, LOGIN_ATTEMPTS);
    const { data } = (await answer.json()) as { data: { access_token: string } };
    this.#token = data.access_token;
  }

  /** Has guides checked. @returns its warnings, by the guides' index. @throws ApiError with what is wrong, in the same way. */
  async check(service: string, guides: readonly SentGuide[]): Promise<Problems> {
    const answer = await this.#post('api/guias/validar', { TipoServicio: service, Guia: guides });
    const { advertencias = [], advertenciasTotal } = (await answer.json()) as Warned;
    return { problems: advertencias, total: advertenciasTotal ?? advertencias.length };
  }

  /** @param key makes the creation one, however often it is sent. @returns the guides, in their order. */
  async create(service: string, guides: readonly SentGuide[], key: string): Promise<CreatedGuide[]> {
    const body = { TipoServicio: service, Guia: guides };
    const answer = await this.#post('api/guias/crear', body, { 'idempotency-key': key });
    return ((await answer.json()) as { data: CreatedGuide[] }).data;
  }

  /** Returns the newest guide with a reference that was not cancelled. */
  async find(reference: string): Promise<CreatedGuide | undefined> {
    const query = new URLSearchParams({ referencia: reference, limite: String(MAX_FOUND) });
    const answer = await this.#request(`api/guias?${query}`, {});
    const { data } = (await answer.json()) as { data: CreatedGuide[] };
    return data.find(({ SEND_ESTATUS }) => SEND_ESTATUS !== CANCELLED);
  }

  /** Returns the labels of guides as one PDF, in their order. */
  async print(numbers: readonly string[], kind: KindName): Promise<Uint8Array> {
    const answer = await this.#post('api/guias/etiquetas', { Guias: numbers, Tipo: kind });
    return answer.bytes();
  }

  #post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return this.#request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  }

  /** Sends a request, once more with a new token where the old one's time is over. */
  async #request(path: string, init: RequestInit): Promise<Response> {
    const attempt = () => {
      const headers = { ...init.headers, authorization: `Bearer ${this.#token}` };
      return send(new URL(path, this.#credentials.url), { ...init, headers }, this.#onPause);
    };
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'token_expirado') throw error;
      await this.login();
      return attempt();
    }
  }
}
