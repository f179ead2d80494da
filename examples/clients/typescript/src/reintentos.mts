import { setTimeout as esperar } from 'node:timers/promises';
import { type ErrorDeGuias, errorDe, sinRespuesta } from './error.mjs';

// Lo que dice /api/docs/reintentos.

const INTENTOS = 5;
const INTENTO_MS = 30_000;

/** Con una Idempotency-Key, una vez repetida es como una. */
const CREAN = /\/api\/(?:guias\/crear|guias\/[^/]+\/devolucion|manifiestos|recolecciones)$/;
/** Hacen otra vez lo suyo cuando se repiten. */
const NO_SE_REPITEN = /\/api\/(?:webhooks|webhooks\/[^/]+\/activar|guias\/[^/]+\/simular)$/;

/**
 * Manda una solicitud hasta que hay una respuesta que repetir no cambia.
 *
 * @param plazoMs lo más que tarda, con todos los intentos y las pausas.
 * @throws ErrorDeGuias si la respuesta no es buena, o no hay.
 */
export async function mandar(solicitud: Request, plazoMs: number): Promise<Response> {
  const fin = performance.now() + plazoMs;
  nombrar(solicitud);
  for (let intento = 1; ; intento++) {
    const respuesta = await intentar(solicitud, Math.min(INTENTO_MS, fin - performance.now()));
    if (respuesta instanceof Response) return respuesta;
    const pausaMs = (respuesta.retryAfter ?? segundosTras(intento)) * 1_000;
    const hayTiempo = performance.now() + pausaMs < fin;
    if (intento === INTENTOS || !hayTiempo || !conviene(solicitud, respuesta)) throw respuesta;
    await esperar(pausaMs);
  }
}

/** Todos los intentos llevan los mismos nombres. */
function nombrar({ method, url, headers }: Request): void {
  if (!headers.has('x-request-id')) headers.set('x-request-id', crypto.randomUUID());
  if (method === 'POST' && CREAN.test(new URL(url).pathname) && !headers.has('idempotency-key')) {
    headers.set('idempotency-key', crypto.randomUUID());
  }
}

async function intentar(solicitud: Request, limiteMs: number): Promise<Response | ErrorDeGuias> {
  try {
    const signal = AbortSignal.timeout(Math.ceil(Math.max(limiteMs, 0)));
    const respuesta = await fetch(solicitud.clone(), { signal });
    if (!respuesta.ok && respuesta.status !== 304) return await errorDe(solicitud, respuesta);
    const cuerpo = await respuesta.arrayBuffer(); // lo que se corta a la mitad, falla aquí
    return new Response(respuesta.status === 304 ? null : cuerpo, respuesta);
  } catch (causa) {
    return sinRespuesta(solicitud, causa);
  }
}

/** Tras un error que pasa, y si la solicitud repetida no hace lo suyo dos veces. */
function conviene({ method, url }: Request, { status, codigo }: ErrorDeGuias): boolean {
  const seNego =
    status === 429 || (status === 503 && codigo !== undefined && codigo !== 'resultado_desconocido');
  if (method === 'POST' && NO_SE_REPITEN.test(new URL(url).pathname)) return seNego;
  return status === 0 || status === 408 || status === 429 || status >= 500;
}

/** Un segundo la primera vez y el doble cada vez, con algo de azar. */
function segundosTras(intento: number): number {
  return 2 ** (intento - 1) * (0.75 + Math.random() / 2);
}
