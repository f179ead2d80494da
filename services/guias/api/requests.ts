import { setTimeout as sleep } from 'node:timers/promises';

/** Longest wait for one answer, in ms: that of five hundred labels. */
const ANSWER_MS = 120_000;
/** Attempts at one request, and the longest pause between two, in ms. */
const MAX_ATTEMPTS = 8;
const MAX_PAUSE_MS = 30_000;
/** Statuses after which the same request may be sent again, as docs/contract.md "Guides" says of creations with a key. */
const AGAIN = new Set([408, 429, 500, 502, 503, 504]);

/** One thing that is wrong in a request, as `details` names it. */
export type Problem = { indice?: number; campo?: string; codigo: string; message: string };

/** Problems of a request, of which the service names the first. */
export type Problems = { readonly problems: readonly Problem[]; readonly total: number };

/** An answer that is no success. The message is that of the service, and says which request it was. */
export class ApiError extends Error implements Problems {
  readonly status: number;
  readonly code: string | undefined;
  readonly problems: readonly Problem[];
  readonly total: number;

  constructor(status: number, body: ErrorBody) {
    const { message = `El servicio respondio ${status}`, requestId, details = [] } = body;
    super(requestId ? `${message} (requestId ${requestId})` : message);
    this.status = status;
    this.code = body.codigo;
    this.problems = details;
    this.total = body.detailsTotal ?? details.length;
  }
}

type ErrorBody = {
  message?: string;
  codigo?: string;
  requestId?: string;
  details?: Problem[];
  detailsTotal?: number;
};

/** Is told why a request is sent again, and in how many seconds. */
export type OnPause = (reason: string, seconds: number) => void;

/**
 * Sends a request until it is answered for good: again where the connection fails, and where the service asks for it.
 *
 * @throws ApiError for an answer that is no success, or TypeError or TimeoutError where none came.
 */
export async function send(
  url: URL,
  init: RequestInit,
  onPause: OnPause,
  maxAttempts = MAX_ATTEMPTS,
): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(ANSWER_MS) }).catch(
      (error: Error) => error,
    );
    if (answer instanceof Response && answer.ok) return answer;
    const refusal = answer instanceof Response ? await toError(answer) : answer;
    const mayRepeat = !(refusal instanceof ApiError) || AGAIN.has(refusal.status);
    if (!mayRepeat || attempt === maxAttempts) throw refusal;
    const seconds = Math.min(MAX_PAUSE_MS / 1_000, secondsOf(answer) ?? 2 ** (attempt - 1));
    onPause(refusal instanceof ApiError ? refusal.message : 'No hay respuesta del servicio', seconds);
    await sleep(seconds * 1_000);
  }
}

/** Returns what `Retry-After` asks for. */
function secondsOf(answer: Response | Error): number | undefined {
  const header = answer instanceof Response ? answer.headers.get('retry-after') : null;
  return header === null ? undefined : Number(header) || 1;
}

async function toError(answer: Response): Promise<ApiError> {
  const body = (await answer.json().catch(() => ({}))) as ErrorBody;
  return new ApiError(answer.status, body);
}
