import { DEMO_PASSWORD } from '../demo-data.ts';

/** Its headline while nothing is wrong. */
export const WELL = 'Todo bien';

/** The page "Estado" as a person reads it. */
export type Status = {
  headline: string;
  /** What the canary found last. Empty while the page itself cannot be read. */
  customer: string;
  /** What is wrong, a line each. While the page itself cannot be read, that is its headline alone. */
  lines: string[];
  /** What has ended in the last hour. */
  ended: string[];
};

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#x27;': "'",
  '&#x3D;': '=',
  '&#x60;': '`',
};

/** @param code the status of HTTP. */
export function parseStatus(code: number, html: string): Status {
  const page = html.replace(/\s+/g, ' ');
  const all = (part: RegExp) => [...page.matchAll(part)].map(([, text = '']) => withoutEntities(text));
  const [headline = ''] = all(/<h1>(.*?)<\/h1>/g);
  const lines = code === 200 ? all(/<li class="\w+"> <span>(.*?)<\/span>/g) : [headline];
  // The page says it once.
  const [customer = code === 200 ? (lines[0] ?? '') : ''] = all(/<p class="cliente [^>]*>(.*?)<\/p>/g);
  return { headline, customer, lines, ended: all(/<li>(Terminó .*?)<\/li>/g) };
}

function withoutEntities(text: string): string {
  return text.replace(/&[#\w]+;/g, (entity) => ENTITIES[entity] ?? entity);
}

const LATE = /^El cliente de prueba espera demasiado para /;

/** Leaves out that customers wait: a machine of a developer may be slow, or busy with other work. */
export function withoutLateness(status: Status): Status {
  const lines = status.lines.filter((line) => !LATE.test(line));
  if (lines.length === status.lines.length) return status;
  return { ...status, lines, ...(lines.length === 0 && { headline: WELL }) };
}

/** Longest wait for the dashboard, in ms. */
const TIMEOUT_MS = 10_000;

/** Reads "Estado" as the demo user `operaciones`, who keeps logged in also while MongoDB is away. */
export class StatusPage {
  readonly #url: string;
  #cookie = '';

  /** @param url of the dashboard. */
  constructor(url: string) {
    this.#url = url;
  }

  /** @throws Error if the dashboard takes no login. */
  async logIn(): Promise<void> {
    const body = new URLSearchParams({ usuario: 'operaciones', contrasena: DEMO_PASSWORD });
    const answer = await this.#send('/entrar', { method: 'POST', body });
    const [cookie] = answer.headers.getSetCookie();
    if (answer.status !== 303 || !cookie) throw new Error(`El tablero no deja entrar (${answer.status})`);
    this.#cookie = cookie.split(';')[0] ?? '';
  }

  /** Logs in before the first time. @throws Error if the dashboard does not answer within ten seconds. */
  async read(): Promise<Status> {
    if (!this.#cookie) await this.logIn();
    const answer = await this.#send('/', {});
    return parseStatus(answer.status, await answer.text());
  }

  async #send(path: string, init: { method?: string; body?: URLSearchParams }): Promise<Response> {
    const headers = { accept: 'text/html', 'sec-fetch-site': 'same-origin', cookie: this.#cookie };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    try {
      return await fetch(this.#url + path, { ...init, headers, signal, redirect: 'manual' });
    } catch (cause) {
      throw new Error('El tablero no responde', { cause });
    }
  }
}
