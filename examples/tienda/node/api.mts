// La API con los tipos que openapi-typescript genera de /api/openapi.json, y con reintentos.
import { setTimeout as esperar } from 'node:timers/promises';
import createClient from 'openapi-fetch';
import type { components, paths } from './guias.d.ts';

type Esquemas = components['schemas'];
export type Guia = Esquemas['Guia'];
export type Servicio = Esquemas['SolicitudDeGuias']['TipoServicio'];
export type Solicitud = Esquemas['SolicitudDeGuias'];
/** Lo que se cotiza: una guía, o solo su destino y su mercancía. */
export type Envio = Esquemas['Envio'];
export type Problema = Esquemas['Problema'];
export type RespuestaError = Esquemas['RespuestaError'];
export type Evento = Esquemas['EventoDeCuenta'];
export type Escenario = NonNullable<Esquemas['Simulacion']['Escenario']>;

const { API = 'http://127.0.0.1:3000', LLAVE } = process.env;
if (!LLAVE) throw new Error(`Falta LLAVE: ${API}/api/docs/llaves dice cómo crear una`);
const INTENTOS = 5;

export const api = createClient<paths>({
  baseUrl: API,
  fetch: conReintentos,
  headers: { Authorization: `Bearer ${LLAVE}` },
});

/** Da la respuesta buena. Lanza el mensaje del error, con lo que hay que citar al pedir ayuda. */
export function exito<T>({ data, error }: { data?: T; error?: RespuestaError }): T {
  if (error) throw new Error(`${error.message} (${error.codigo}, requestId ${error.requestId})`);
  return data as T;
}

/** Repite tras 408, 429, 5xx y conexiones sin respuesta; lo demás no cambia por repetir. */
async function conReintentos(solicitud: Request): Promise<Response> {
  for (let intento = 1; ; intento++) {
    let espera = intento;
    try {
      const respuesta = await fetch(solicitud.clone(), { signal: AbortSignal.timeout(30_000) });
      const cuerpo = await respuesta.arrayBuffer(); // lo que se corta a la mitad, falla aquí
      const pasajero = [408, 429].includes(respuesta.status) || respuesta.status >= 500;
      if (!pasajero || intento === INTENTOS) return new Response(cuerpo, respuesta);
      espera = Number(respuesta.headers.get('retry-after') ?? intento);
    } catch (error) {
      if (intento === INTENTOS) throw error;
    }
    await esperar(espera * 1_000);
  }
}
