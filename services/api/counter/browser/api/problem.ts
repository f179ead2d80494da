import { spoken } from '../ui/api-words.ts';

/** What is wrong with one field, as the API says it. `indice`: of the guide in the request. */
export type Detail = {
  indice?: number;
  campo?: string;
  codigo: string;
  message: string;
  regla?: string;
};

/** Why a request has no answer. `sin_conexion` and `cancelado` are of this program, all other codes of the API. */
export type Problem = {
  codigo: string;
  message: string;
  /** What to do about a problem of this program; `Advice` has that of the API. */
  consejo?: string;
  /** By field: `details` of the answer. */
  errors?: Detail[];
  /** What else the answer warns of. */
  advertencias?: Detail[];
  requestId?: string;
};

export type Answer<T> =
  | {
      ok: true;
      status: number;
      data: T;
      message: string;
      headers: Headers;
      advertencias: Detail[];
      body: Body<T>;
    }
  | { ok: false; status: number; problem: Problem };

/** The whole body of an answer, for what stands beside its data, such as `siguiente` of a list. */
export type Body<T> = { response: 'OK'; message: string; data: T; advertencias?: Detail[] } & Record<
  string,
  unknown
>;

/** Returns the problem that an answer says, in the words of people. */
export function problemIn(body: Record<string, unknown>, status: number): Problem {
  const { codigo, message, details, advertencias, requestId } = body as Partial<Problem> & {
    details?: Detail[];
  };
  return {
    codigo: codigo ?? 'error_desconocido',
    message: spoken(message ?? `El servicio respondió ${status}`),
    ...(details && { errors: spokenDetails(details) }),
    ...(advertencias && { advertencias: spokenDetails(advertencias) }),
    ...(requestId && { requestId }),
  };
}

export function spokenDetails(details: readonly Detail[]): Detail[] {
  return details.map((detail) => ({ ...detail, message: spoken(detail.message) }));
}

/** Returns a message with its full stop: what to do about it follows. */
export function sentence(message: string): string {
  return /[.?]$/.test(message) ? message : `${message}.`;
}
