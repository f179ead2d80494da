import { setTimeout as sleep } from 'node:timers/promises';
import { DEMO_PASSWORD } from '../demo-data.ts';

const GUIDE = {
  Remitente: { Nombre: 'Simulacro' },
  Destinatario: { Nombre: 'Simulacro', Calle: 'Av. Reforma', Numero_exterior: '250', CodigoPostal: '06600' },
  Producto: { Contenido: 'Libros' },
  Creado_por: {},
};

/** Longest wait for an answer, in ms: a little longer than the api lets a label wait. */
const TIMEOUT_MS = 15_000;

/** The API as a demo user sees it. */
export class DemoClient {
  readonly #url: string;
  readonly #user: string;
  readonly #signal: AbortSignal;
  #token = '';
  /** Under way: whoever needs a token meanwhile waits for it. */
  #login: Promise<void> | undefined;

  /** @param url of the api. @param signal ends what is under way. */
  constructor(url: string, user: string, signal: AbortSignal) {
    this.#url = url;
    this.#user = user;
    this.#signal = signal;
  }

  async logIn(): Promise<void> {
    this.#login ??= this.#newToken().finally(() => {
      this.#login = undefined;
    });
    await this.#login;
  }

  async #newToken(): Promise<void> {
    const headers = { 'x-username': this.#user, 'x-password': DEMO_PASSWORD };
    const { status, data } = await this.#send('/api/auth/login', { method: 'POST', headers });
    if (status !== 200) throw new Error(`La API no deja entrar a ${this.#user} (${status})`);
    this.#token = (data as { access_token: string }).access_token;
  }

  /** Logs in before the first request, and again once the token has expired. @throws Error without an answer. */
  async request(method: string, path: string, body?: unknown): Promise<{ status: number; data?: unknown }> {
    if (!this.#token) await this.logIn();
    const headers = { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' };
    const answer = await this.#send(path, { method, headers, body: body ? JSON.stringify(body) : null });
    if (answer.status === 401) this.#token = '';
    return answer;
  }

  /** @returns its number; undefined if it was not created. */
  async createGuide(): Promise<string | undefined> {
    const { data } = await this.request('POST', '/api/guias/crear', {
      TipoServicio: 'Domicilio',
      Guia: [GUIDE],
    });
    return (data as { SEND_GUIA: string }[] | undefined)?.[0]?.SEND_GUIA;
  }

  async printLabel(guide: string): Promise<void> {
    await this.request('GET', `/api/guias/etiqueta/${guide}`);
  }

  async #send(path: string, init: RequestInit): Promise<{ status: number; data?: unknown }> {
    const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const response = await fetch(this.#url + path, { ...init, signal });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    return { status: response.status, ...(isJson && { data: JSON.parse(text).data }) };
  }
}

/** Does something again and again, whether it succeeds or not, until `signal` aborts. @param pauseMs between two. */
export async function repeatUntil(signal: AbortSignal, pauseMs: number, work: () => unknown): Promise<void> {
  while (!signal.aborted) {
    try {
      await work();
      await sleep(pauseMs, undefined, { signal });
    } catch {
      // What is broken fails. A failure at once must not become a loop without a pause.
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  }
}

/** Creates guides and prints their labels until `signal` aborts, as customers do. @param pauseMs after each label. */
export function useApi(
  url: string,
  signal: AbortSignal,
  { customers, pauseMs }: { customers: number; pauseMs: number },
): void {
  const client = new DemoClient(url, 'demo', signal);
  for (let customer = 0; customer < customers; customer++) {
    void repeatUntil(signal, pauseMs, async () => {
      const guide = await client.createGuide();
      if (guide) await client.printLabel(guide);
    });
  }
}
