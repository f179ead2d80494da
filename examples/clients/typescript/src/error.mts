import type { Esquemas } from './esquemas.mjs';

/** Qué está mal, y dónde. */
export type Problema = Esquemas['Problema'];

/** Lo que el servicio respondió en lugar de lo que se pidió, o que no respondió. */
export class ErrorDeGuias extends Error {
  override readonly name = 'ErrorDeGuias';
  /** El de HTTP; 0 si no hubo respuesta. */
  readonly status: number;
  /** Qué pasó, para programas: `/api/docs/errores` dice qué hacer. Falta si no respondió el servicio mismo. */
  readonly codigo: string | undefined;
  /** Todo lo que está mal en la solicitud. */
  readonly details: readonly Problema[];
  /** Con él encuentra su transportista lo que pasó, también sin respuesta. */
  readonly requestId: string;
  /** Los segundos tras los que se puede repetir, si el servicio los dijo. */
  readonly retryAfter: number | undefined;
  /** Con ella se repite la creación sin crear nada dos veces. */
  readonly idempotencyKey: string | undefined;

  constructor(
    message: string,
    campos: Pick<
      ErrorDeGuias,
      'status' | 'codigo' | 'details' | 'requestId' | 'retryAfter' | 'idempotencyKey'
    >,
    causa?: unknown,
  ) {
    super(message, { cause: causa });
    this.status = campos.status;
    this.codigo = campos.codigo;
    this.details = campos.details;
    this.requestId = campos.requestId;
    this.retryAfter = campos.retryAfter;
    this.idempotencyKey = campos.idempotencyKey;
  }
}

/** Lee la respuesta a una solicitud, que no fue buena. */
export async function errorDe(solicitud: Request, respuesta: Response): Promise<ErrorDeGuias> {
  const texto = await respuesta.text();
  const { message, codigo, details = [] } = leer(texto);
  const segundos = Number(respuesta.headers.get('retry-after') ?? Number.NaN);
  return new ErrorDeGuias(message ?? `Respuesta ${respuesta.status}`, {
    ...nombresDe(solicitud),
    status: respuesta.status,
    codigo,
    details,
    retryAfter: Number.isFinite(segundos) ? segundos : undefined,
  });
}

/** @param causa lo que cortó la conexión, o se cansó de esperar. */
export function sinRespuesta(solicitud: Request, causa: unknown): ErrorDeGuias {
  return new ErrorDeGuias(
    `Sin respuesta de ${new URL(solicitud.url).origin}`,
    { ...nombresDe(solicitud), status: 0, codigo: undefined, details: [], retryAfter: undefined },
    causa,
  );
}

function nombresDe({ headers }: Request) {
  return {
    requestId: headers.get('x-request-id') ?? '',
    idempotencyKey: headers.get('idempotency-key') ?? undefined,
  };
}

/** Un proxy en medio responde lo que quiere. */
function leer(texto: string): Partial<Esquemas['RespuestaError']> {
  try {
    return JSON.parse(texto) ?? {};
  } catch {
    return {};
  }
}
