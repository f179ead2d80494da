/** One thing that is wrong with a request; `indice` and `campo` say where (docs/contract.md "Envelopes"). */
export type Problem = { indice?: number; campo?: string; message: string };

/**
 * A refusal that the domain foresees. It knows a stable `code` and what goes into its text, but neither HTTP
 * nor the queue: one table at each edge maps the code (`httpErrors` here, `worker.ts` in the label worker).
 */
export class DomainError extends Error {
  override name = 'DomainError';
  readonly code: string;
  readonly params: Readonly<Record<string, string | number>>;
  readonly details: readonly Problem[] | undefined;

  constructor(
    code: string,
    options: { params?: Record<string, string | number>; details?: Problem[]; cause?: unknown } = {},
  ) {
    super(code, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.params = options.params ?? {};
    this.details = options.details;
  }
}

/** How a domain error leaves over HTTP: status, Spanish text, extra headers. */
export type HttpError = {
  status: number;
  message: string | ((params: DomainError['params']) => string);
  /** Nobody's fault, such as too many who ask: not logged as a failure, though the status is a 5xx. */
  noFault?: true;
  headers?: Record<string, string> | ((params: DomainError['params']) => Record<string, string>);
};
export type HttpErrors = Readonly<Record<string, HttpError>>;

/** The refusals that every HTTP service of ours knows (docs/contract.md "Envelopes"). */
export const commonHttpErrors = {
  'no-route': { status: 404, message: 'Recurso no encontrado' },
  'method-not-allowed': { status: 405, message: 'Metodo no permitido' },
  'body-too-large': { status: 413, message: 'El cuerpo de la solicitud excede el limite de 4 MiB' },
  'not-json': { status: 415, message: 'El Content-Type debe ser application/json' },
  'invalid-json': { status: 400, message: 'El cuerpo de la solicitud no es JSON valido' },
  'headers-too-large': { status: 431, message: 'Los headers de la solicitud exceden el limite de 8 KiB' },
  'request-timeout': { status: 408, message: 'La solicitud no llego completa a tiempo' },
  'bad-request': { status: 400, message: 'Solicitud invalida' },
  'access-denied': {
    status: 401,
    message: 'Acceso denegado',
    headers: { 'WWW-Authenticate': 'Bearer' },
  },
  unavailable: {
    status: 503,
    message: 'Servicio no disponible, intente de nuevo',
    headers: { 'Retry-After': '2' },
  },
  internal: { status: 500, message: 'Error interno del servidor' },
} as const satisfies HttpErrors;
