import { createStore } from '../ui/store.ts';
import { type Answer, type Body, type Detail, type Problem, problemIn, spokenDetails } from './problem.ts';
import { currentToken, renewToken } from './session.ts';

/** A request to the public API. */
export type Request = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  query?: Record<string, string>;
  body?: unknown;
  /** Idempotency-Key: a write that has one may be repeated. */
  key?: string;
  accept?: string;
  signal?: AbortSignal;
};

/** In ms, without the time in which the password is asked for: one try, and all of them. */
const TRY_MS = 60_000;
const GIVE_UP_MS = 180_000;
/** In ms: between tries after a lost connection, doubled each time up to the second. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;
const MOST_FAILURES = 4;
/** A POST that only asks. */
const STORES_NOTHING = /\/(?:validar|cotizar)$/;
/** The token ended by its time, by a change of password, or by a logout elsewhere. */
const TOKEN_ENDED = ['token_expirado', 'acceso_denegado'];

/** Until when, in ms since 1970, the service asks to wait; undefined if it does not. */
export const waitingUntil = createStore<number | undefined>(undefined);

/** Asks for JSON. */
export async function ask<T>(request: Request): Promise<Answer<T>> {
  return answered(request, async (response) => {
    const body = (await response.json()) as Body<T>;
    const { data, message, advertencias = [] } = body;
    return { data, message, advertencias: spokenDetails(advertencias), body };
  });
}

/** Asks for a file: a label, a list as CSV. `data` has the type that the service says. */
export async function askBlob(request: Request): Promise<Answer<Blob>> {
  return answered(request, async (response) => {
    const data = await response.blob();
    return { data, message: '', advertencias: [], body: { response: 'OK', message: '', data } };
  });
}

type Read<T> = (
  response: Response,
) => Promise<{ data: T; message: string; advertencias: Detail[]; body: Body<T> }>;

/**
 * Waits and repeats where the service asks for it (429, 503), and after a lost connection if a repeat does no harm: that of a read, of
 * a POST that only asks, and of a write that has a key. Asks for the password again when the token has ended, and goes on with the same
 * key.
 */
async function answered<T>(request: Request, read: Read<T>): Promise<Answer<T>> {
  const repeatable =
    request.method === 'GET' || request.key !== undefined || STORES_NOTHING.test(request.path);
  let giveUpAt = Date.now() + GIVE_UP_MS;
  let failures = 0;
  const pause = async (): Promise<boolean> => {
    failures += 1;
    const ms = Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS);
    return Date.now() + ms < giveUpAt && (await sleep(ms, request.signal));
  };
  for (;;) {
    const token = currentToken();
    try {
      const response = await send(request, token);
      if (response.ok)
        return { ok: true, status: response.status, headers: response.headers, ...(await read(response)) };
      const problem = await problemOf(response);
      const { status } = response;
      const asked = secondsAsked(response);
      if (status === 401 && TOKEN_ENDED.includes(problem.codigo)) {
        const askedAt = Date.now();
        if (!(await renewToken(token))) return { ok: false, status, problem };
        giveUpAt += Date.now() - askedAt;
      } else if ((status === 429 || status === 503) && asked !== undefined) {
        const until = Date.now() + asked * 1_000;
        if (until > giveUpAt || !(await waitTogether(until, request.signal)))
          return { ok: false, status, problem };
      } else if (!(status >= 500 && repeatable && failures < MOST_FAILURES && (await pause()))) {
        return { ok: false, status, problem };
      }
    } catch {
      if (request.signal?.aborted) return { ok: false, status: 0, problem: CANCELLED };
      if (!repeatable || !(await pause()))
        return { ok: false, status: 0, problem: repeatable ? LOST : UNKNOWN };
    }
  }
}

const CANCELLED: Problem = { codigo: 'cancelado', message: 'Cancelado' };
const LOST: Problem = {
  codigo: 'sin_conexion',
  message: 'No hay conexión con el servicio',
  consejo: 'Revise su conexión y repita.',
};
const UNKNOWN: Problem = {
  codigo: 'sin_conexion',
  message: 'La conexión se perdió, y no se sabe si se hizo',
  consejo: 'Mire en «Lo enviado» antes de repetir.',
};

function send(
  { method, path, query, body, key, accept, signal }: Request,
  token: string | undefined,
): Promise<Response> {
  const address = query === undefined ? path : `${path}?${new URLSearchParams(query)}`;
  const headers: Record<string, string> = { accept: accept ?? 'application/json' };
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
  if (key !== undefined) headers['idempotency-key'] = key;
  if (body !== undefined) headers['content-type'] = 'application/json';
  const timeout = AbortSignal.timeout(TRY_MS);
  return fetch(address, {
    method,
    headers,
    // The browser keeps nothing of an account after "Salir".
    cache: 'no-store',
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  });
}

/** Reads an error. What stands between, such as a proxy, may answer with something else than ours. */
async function problemOf(response: Response): Promise<Problem> {
  return problemIn(await response.json().catch(() => ({})), response.status);
}

function secondsAsked({ headers }: Response): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? Math.max(seconds, 1) : undefined;
}

/** Waits, and says so to the user. @returns false if the request is aborted meanwhile. */
async function waitTogether(until: number, signal: AbortSignal | undefined): Promise<boolean> {
  if (until > (waitingUntil.get() ?? 0)) waitingUntil.set(until);
  const waited = await sleep(until - Date.now(), signal);
  if ((waitingUntil.get() ?? 0) <= Date.now() || waitingUntil.get() === until) waitingUntil.set(undefined);
  return waited;
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve(false);
    const end = (waited: boolean) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      resolve(waited);
    };
    const abort = () => end(false);
    const timer = setTimeout(() => end(true), ms);
    signal?.addEventListener('abort', abort);
  });
}
