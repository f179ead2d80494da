import { setTimeout as esperar } from 'node:timers/promises';
import { ErrorDeGuias, errorDe, sinRespuesta } from './error.mjs';
import type { Peticion } from './peticion.mjs';

// Lo que dice /api/docs/reintentos.

const INTENTO_MS = 30_000;
/** Lo que queda para un último intento, si el servicio pide esperar más de lo que queda. */
const ULTIMO_MS = 5_000;

export type Acceso = { llave: string } | { usuario: string; contrasena: string };

/** Manda peticiones hasta que hay una respuesta que repetir no cambia, con la llave, o con el token de un usuario. */
export class Llamadas {
  readonly #url: string;
  readonly #acceso: Acceso;
  readonly #plazoMs: number;
  /** El de quien entra ahora, o entró. */
  #token: Promise<string> | undefined;

  constructor(url: string, acceso: Acceso, plazoMs: number) {
    if (!/^https?:\/\//.test(url)) {
      throw new TypeError(`La dirección del servicio empieza con https:// o http://, y esta no: '${url}'`);
    }
    if (!('llave' in acceso ? acceso.llave : acceso.usuario && acceso.contrasena)) {
      throw new TypeError('Falta la llave, o en su lugar usuario y contrasena');
    }
    this.#url = url.replace(/\/+$/, '');
    this.#acceso = acceso;
    this.#plazoMs = plazoMs;
  }

  /**
   * Si el token caducó en medio, entra otra vez y sigue con los mismos nombres.
   *
   * @throws ErrorDeGuias si la respuesta no es buena, o no hay.
   */
  async mandar(peticion: Peticion): Promise<Response> {
    const fin = performance.now() + this.#plazoMs;
    const solicitud = this.#solicitud(peticion);
    const { repetible = true } = peticion;
    const entrada = this.#entrar(fin);
    try {
      return await repetir(conToken(solicitud, await entrada), fin, repetible);
    } catch (error) {
      const caduco = error instanceof ErrorDeGuias && error.codigo === 'token_expirado';
      if (!caduco || 'llave' in this.#acceso) throw error;
      if (this.#token === entrada) this.#token = undefined; // si no, ya entró otra llamada
      return repetir(conToken(solicitud, await this.#entrar(fin)), fin, repetible);
    }
  }

  #entrar(fin: number): Promise<string> {
    const acceso = this.#acceso;
    if ('llave' in acceso) return Promise.resolve(acceso.llave);
    this.#token ??= this.#sesion(acceso, fin).catch((error) => {
      this.#token = undefined;
      throw error;
    });
    return this.#token;
  }

  async #sesion({ usuario, contrasena }: Exclude<Acceso, { llave: string }>, fin: number): Promise<string> {
    const solicitud = this.#solicitud({ metodo: 'POST', ruta: '/api/auth/login' });
    solicitud.headers.set('x-username', enBytes(usuario));
    solicitud.headers.set('x-password', enBytes(contrasena));
    const { data } = (await (await repetir(solicitud, fin, true)).json()) as {
      data: { access_token: string };
    };
    return data.access_token;
  }

  /** Todos los intentos llevan los mismos nombres. */
  #solicitud({
    metodo,
    ruta,
    query = {},
    solicitud,
    archivo,
    tipo,
    crea,
    idempotencyKey,
  }: Peticion): Request {
    const url = new URL(this.#url + ruta);
    for (const [nombre, valor] of Object.entries(query)) {
      if (valor !== undefined) url.searchParams.set(nombre, String(valor));
    }
    const headers = new Headers({ 'x-request-id': crypto.randomUUID() });
    if (crea) headers.set('idempotency-key', idempotencyKey ?? crypto.randomUUID());
    if (tipo) headers.set('content-type', tipo);
    if (solicitud) headers.set('content-type', 'application/json');
    const body = archivo ?? (solicitud && JSON.stringify(solicitud));
    // Si la dirección es otra, repetirla ahí como GET no crearía nada.
    return new Request(url, { method: metodo, headers, body: body ?? null, redirect: 'manual' });
  }
}

/** En UTF-8, de lo que un header lleva un carácter por byte. */
function enBytes(texto: string): string {
  return Buffer.from(texto).toString('latin1');
}

function conToken(solicitud: Request, token: string): Request {
  solicitud.headers.set('authorization', `Bearer ${token}`);
  return solicitud;
}

async function repetir(solicitud: Request, fin: number, repetible: boolean): Promise<Response> {
  for (let intento = 0; ; intento++) {
    const respuesta = await intentar(solicitud, Math.min(INTENTO_MS, fin - performance.now()));
    if (respuesta instanceof Response) return respuesta;
    const pausaMs = conviene(respuesta, repetible)
      ? pausaTras(respuesta, intento, fin - performance.now())
      : undefined;
    if (pausaMs === undefined) throw respuesta;
    await esperar(pausaMs);
  }
}

async function intentar(solicitud: Request, limiteMs: number): Promise<Response | ErrorDeGuias> {
  try {
    const signal = AbortSignal.timeout(Math.ceil(Math.max(limiteMs, 0)));
    const respuesta = await fetch(solicitud.clone(), { signal });
    if (!respuesta.ok) return await errorDe(solicitud, respuesta);
    return new Response(await respuesta.arrayBuffer(), respuesta); // lo que se corta a la mitad, falla aquí
  } catch (causa) {
    return sinRespuesta(solicitud, causa);
  }
}

/** Tras un error que pasa, y si la solicitud repetida no hace lo suyo dos veces. */
function conviene({ status, codigo }: ErrorDeGuias, repetible: boolean): boolean {
  const seNego =
    status === 429 || (status === 503 && codigo !== undefined && codigo !== 'resultado_desconocido');
  return seNego || (repetible && (status === 0 || status === 408 || status >= 500));
}

/**
 * Lo que pide el servicio. Si no lo dice, un segundo y luego el doble cada vez, hasta 32, con algo de azar. Lo que no cabe en el
 * plazo se acorta para un último intento, pero no tras un 429, que dice desde cuándo hay lugar.
 */
function pausaTras(
  { status, retryAfter }: ErrorDeGuias,
  intento: number,
  quedaMs: number,
): number | undefined {
  const crecienteMs = 1_000 * 2 ** Math.min(intento, 5) * (0.75 + Math.random() / 2);
  const pausaMs = retryAfter === undefined ? crecienteMs : Math.max(retryAfter * 1_000, crecienteMs / 4);
  if (pausaMs < quedaMs) return pausaMs;
  return status === 429 || quedaMs <= ULTIMO_MS ? undefined : quedaMs - ULTIMO_MS;
}
