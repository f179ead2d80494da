import { createStore } from '../ui/store.ts';
import { type Problem, problemIn } from './problem.ts';

/** Who is in. The token is in the memory of this page alone, and ends with the tab. */
export type Session = {
  username: string;
  account: string;
  /** Whether nothing of the account is real. */
  isTest: boolean;
  permissions: readonly string[];
};

/** Undefined while nobody is in. */
export const session = createStore<Session | undefined>(undefined);
/** Whether the password is asked for again: the token has ended, and requests wait. */
export const isAskingAgain = createStore(false);

let token: string | undefined;
let renewed: PromiseWithResolvers<boolean> | undefined;

export function currentToken(): string | undefined {
  return token;
}

type Login = { ok: true } | { ok: false; problem: Problem };

/** Gets a token, with which all requests that wait for one go on. */
export async function logIn(username: string, password: string): Promise<Login> {
  const answer = await post<{ access_token: string }>('/api/auth/login', {
    headers: credentials(username, password),
  });
  if (!answer.ok) return answer;
  token = answer.data.access_token;
  isAskingAgain.set(false);
  renewed?.resolve(true);
  renewed = undefined;
  return { ok: true };
}

export async function changePassword(username: string, password: string, next: string): Promise<Login> {
  const headers = { ...credentials(username, password), 'content-type': 'application/json' };
  return post('/api/auth/password', { headers, body: JSON.stringify({ ContrasenaNueva: next }) });
}

/**
 * Asks for the password again, once for all requests that wait. Resolves with whether there is a new token.
 *
 * @param ended the token that the service has refused: another request may have got a new one meanwhile.
 */
export function renewToken(ended: string | undefined): Promise<boolean> {
  if (token !== undefined && token !== ended) return Promise.resolve(true);
  if (session.get() === undefined) return Promise.resolve(false);
  renewed ??= Promise.withResolvers<boolean>();
  isAskingAgain.set(true);
  return renewed.promise;
}

/** Forgets the token, and ends it at the service, if that answers. */
export function endSession(): void {
  if (token !== undefined) {
    void post('/api/auth/logout', { headers: { authorization: `Bearer ${token}` }, keepalive: true });
  }
  token = undefined;
  session.set(undefined);
  isAskingAgain.set(false);
  renewed?.resolve(false);
  renewed = undefined;
}

/** A header has bytes: the service reads them as UTF-8. */
function credentials(username: string, password: string): Record<string, string> {
  const bytes = (text: string) => String.fromCharCode(...new TextEncoder().encode(text));
  return { 'x-username': bytes(username), 'x-password': bytes(password) };
}

const LOGIN_TIMEOUT_MS = 30_000;
type Called<T> = { ok: true; data: T } | { ok: false; problem: Problem };

/** One request without repeating: failed logins are counted. */
async function post<T>(path: string, init: RequestInit): Promise<Called<T>> {
  try {
    const answer = await fetch(path, {
      ...init,
      method: 'POST',
      cache: 'no-store',
      signal: AbortSignal.timeout(LOGIN_TIMEOUT_MS),
    });
    const body = await answer.json();
    return answer.ok ? { ok: true, data: body.data } : { ok: false, problem: problemIn(body, answer.status) };
  } catch {
    return {
      ok: false,
      problem: { codigo: 'sin_conexion', message: 'No hay conexión con el servicio. Intente de nuevo.' },
    };
  }
}
