import createClient, { type Client } from 'openapi-fetch';
import type { components, operations, paths } from './openapi.mjs';
import { mandar } from './reintentos.mjs';
import type { Evento } from './webhook.mjs';

export { ErrorDeGuias, type Problema } from './error.mjs';
export { type Evento, eventosDelMensaje, WebhookVerificationError } from './webhook.mjs';
export type { components, paths };

/** Los esquemas del documento OpenAPI, por su nombre. */
export type Esquemas = components['schemas'];
type Parametros<Operacion extends keyof operations> = NonNullable<
  operations[Operacion]['parameters']['query']
>;
export type FiltroDeGuias = Omit<Parametros<'listarGuias'>, 'cursor'>;
export type FiltroDeManifiestos = Omit<Parametros<'listarManifiestos'>, 'cursor'>;
export type FiltroDeRecolecciones = Omit<Parametros<'listarRecolecciones'>, 'cursor'>;
export type FiltroDeCobros = Omit<Parametros<'listarCobros'>, 'cursor'>;
export type FiltroDeLiquidaciones = Omit<Parametros<'listarLiquidaciones'>, 'cursor'>;
export type FiltroDeDevoluciones = Omit<Parametros<'listarDevoluciones'>, 'cursor'>;
export type FormaDeEtiqueta = Parametros<'obtenerEtiquetaPequena'> & {
  /** `carta` si falta. */
  tipo?: Esquemas['SolicitudDeEtiquetas']['Tipo'];
};
export type FormaDeArchivo = Parametros<'imprimirEtiquetas'>;
/** De una creación. Sin `idempotencyKey` lleva una de azar, que sirve mientras el programa viva. */
export type Nombre = { idempotencyKey?: string };

const RUTA_DE_ETIQUETA = {
  carta: '/api/guias/etiqueta/{guia}',
  pequena: '/api/guias/etiqueta-pequena/{guia}',
  '10x15': '/api/guias/etiqueta-10x15/{guia}',
} as const;

/**
 * El servicio de guías, como lo ve quien tiene una llave. Cada método se llama como su operación en `/api/docs/operaciones`, y
 * da el cuerpo de la respuesta. Todos repiten lo que falla de paso, y lanzan `ErrorDeGuias`.
 */
export class ClienteDeGuias {
  /** Todas las operaciones, con los mismos reintentos y errores. */
  readonly api: Client<paths>;

  /** @param opciones.plazoMs lo más que tarda una llamada, con sus repeticiones; dos minutos si falta. */
  constructor(opciones: { url: string; llave: string; plazoMs?: number }) {
    const { url, llave, plazoMs = 120_000 } = opciones;
    this.api = createClient<paths>({
      baseUrl: url,
      headers: { Authorization: `Bearer ${llave}` },
      fetch: (solicitud) => mandar(solicitud, plazoMs),
    });
  }

  cotizarGuias(body: Esquemas['SolicitudDeCotizaciones']): Promise<Esquemas['RespuestaCotizaciones']> {
    return cuerpo(this.api.POST('/api/guias/cotizar', { body }));
  }

  validarGuias(body: Esquemas['SolicitudDeGuias']): Promise<Esquemas['RespuestaGuiasValidas']> {
    return cuerpo(this.api.POST('/api/guias/validar', { body }));
  }

  crearGuias(
    body: Esquemas['SolicitudDeGuias'],
    nombre: Nombre = {},
  ): Promise<Esquemas['RespuestaGuiasCreadas']> {
    return cuerpo(this.api.POST('/api/guias/crear', { body, params: { header: headersDe(nombre) } }));
  }

  obtenerGuia(guia: string): Promise<Esquemas['RespuestaGuia']> {
    return cuerpo(this.api.GET('/api/guias/{guia}', { params: { path: { guia } } }));
  }

  cancelarGuia(guia: string): Promise<Esquemas['RespuestaGuiaCancelada']> {
    return cuerpo(this.api.POST('/api/guias/{guia}/cancelar', { params: { path: { guia } } }));
  }

  /** Todas las guías de la cuenta que pasan el filtro, de la más nueva a la más vieja. `limite` es de cada página. */
  recorrerGuias(filtro: FiltroDeGuias = {}): AsyncGenerator<Esquemas['GuiaCreada'], void> {
    return paginas((cursor) =>
      cuerpo(this.api.GET('/api/guias', { params: { query: { ...filtro, ...cursor } } })),
    );
  }

  /** La etiqueta de una guía: un PDF, si no se pide otro formato. */
  async obtenerEtiqueta(
    guia: string,
    { tipo = 'carta', ...query }: FormaDeEtiqueta = {},
  ): Promise<Uint8Array> {
    const params = { path: { guia }, query };
    return bytes(this.api.GET(RUTA_DE_ETIQUETA[tipo], { params, parseAs: 'arrayBuffer' }));
  }

  /** Las etiquetas de muchas guías en un solo archivo. */
  imprimirEtiquetas(body: Esquemas['SolicitudDeEtiquetas'], query: FormaDeArchivo = {}): Promise<Uint8Array> {
    return bytes(this.api.POST('/api/guias/etiquetas', { body, params: { query }, parseAs: 'arrayBuffer' }));
  }

  listarEventosDeGuia(guia: string): Promise<Esquemas['RespuestaEventosDeGuia']> {
    return cuerpo(this.api.GET('/api/guias/{guia}/eventos', { params: { path: { guia } } }));
  }

  /**
   * Los eventos de la cuenta que faltan tras un cursor, por páginas, hasta el último que hay. Guarde `siguiente` junto con los
   * eventos de su página: es el cursor con el que se sigue otro día.
   */
  async *recorrerEventos(cursor?: string): AsyncGenerator<{ data: Evento[]; siguiente: string }, void> {
    for (let desde = cursor; ; ) {
      const query = { limite: 500, ...(desde !== undefined && { cursor: desde }) };
      const { data, siguiente = '' } = await cuerpo(this.api.GET('/api/eventos', { params: { query } }));
      if (data.length === 0) return;
      yield { data, siguiente };
      desde = siguiente;
    }
  }

  listarEvidencia(guia: string): Promise<Esquemas['RespuestaEvidenciaDeGuia']> {
    return cuerpo(this.api.GET('/api/guias/{guia}/evidencia', { params: { path: { guia } } }));
  }

  /** Una firma o foto, en JPEG. `Evento` e `Imagen` son los de `listarEvidencia`. */
  obtenerEvidencia(
    guia: string,
    { Evento, Imagen }: Pick<Esquemas['Evidencia'], 'Evento' | 'Imagen'>,
  ): Promise<Uint8Array> {
    const params = { path: { guia, Id: Evento, imagen: Imagen } };
    const ruta = '/api/guias/{guia}/evidencia/{Id}/{imagen}';
    return bytes(this.api.GET(ruta, { params, parseAs: 'arrayBuffer' }));
  }

  /** El comprobante de entrega, un PDF. */
  imprimirComprobante(guia: string): Promise<Uint8Array> {
    const params = { path: { guia } };
    return bytes(this.api.GET('/api/guias/{guia}/comprobante', { params, parseAs: 'arrayBuffer' }));
  }

  /** La guía con la que vuelve el paquete de otra. */
  crearDevolucion(
    guia: string,
    body: Esquemas['SolicitudDeDevolucion'] = {},
    nombre: Nombre = {},
  ): Promise<Esquemas['RespuestaDevolucionCreada']> {
    const params = { path: { guia }, header: headersDe(nombre) };
    return cuerpo(this.api.POST('/api/guias/{guia}/devolucion', { body, params }));
  }

  cotizarDevolucion(
    guia: string,
    body: Esquemas['SolicitudDeCotizacionDeDevolucion'] = {},
  ): Promise<Esquemas['RespuestaCotizacionDeUnaDevolucion']> {
    const params = { path: { guia } };
    return cuerpo(this.api.POST('/api/guias/{guia}/devolucion/cotizar', { body, params }));
  }

  /** Un enlace con el que una persona imprime su devolución. */
  crearEnlaceDeDevolucion(guia: string): Promise<Esquemas['RespuestaEnlaceCreado']> {
    const params = { path: { guia } };
    return cuerpo(this.api.POST('/api/guias/{guia}/devolucion/enlace', { params }));
  }

  /** Desde entonces el enlace responde como uno que no existe. */
  terminarEnlaceDeDevolucion(guia: string): Promise<Esquemas['RespuestaEnlaceTerminado']> {
    const params = { path: { guia } };
    return cuerpo(this.api.DELETE('/api/guias/{guia}/devolucion/enlace', { params }));
  }

  recorrerDevoluciones(filtro: FiltroDeDevoluciones = {}): AsyncGenerator<Esquemas['Devolucion'], void> {
    return paginas((cursor) =>
      cuerpo(this.api.GET('/api/devoluciones', { params: { query: { ...filtro, ...cursor } } })),
    );
  }

  /** @param body sin `Guias`, entran todas las que esperan. */
  crearManifiesto(
    body: Esquemas['SolicitudDeManifiesto'] = {},
    nombre: Nombre = {},
  ): Promise<Esquemas['RespuestaManifiestoCreado']> {
    return cuerpo(this.api.POST('/api/manifiestos', { body, params: { header: headersDe(nombre) } }));
  }

  recorrerManifiestos(filtro: FiltroDeManifiestos = {}): AsyncGenerator<Esquemas['Manifiesto'], void> {
    return paginas((cursor) =>
      cuerpo(this.api.GET('/api/manifiestos', { params: { query: { ...filtro, ...cursor } } })),
    );
  }

  /** Un PDF, para firmar al entregar. */
  imprimirManifiesto(manifiesto: string): Promise<Uint8Array> {
    const params = { path: { manifiesto } };
    return bytes(this.api.GET('/api/manifiestos/{manifiesto}/pdf', { params, parseAs: 'arrayBuffer' }));
  }

  /** Las próximas ventanas con lugar. */
  consultarRecolecciones(CodigoPostal: string): Promise<Esquemas['RespuestaDisponibilidad']> {
    const params = { query: { CodigoPostal } };
    return cuerpo(this.api.GET('/api/recolecciones/disponibles', { params }));
  }

  pedirRecoleccion(
    body: Esquemas['SolicitudDeRecoleccion'],
    nombre: Nombre = {},
  ): Promise<Esquemas['RespuestaRecoleccionPedida']> {
    return cuerpo(this.api.POST('/api/recolecciones', { body, params: { header: headersDe(nombre) } }));
  }

  recorrerRecolecciones(filtro: FiltroDeRecolecciones = {}): AsyncGenerator<Esquemas['Recoleccion'], void> {
    return paginas((cursor) =>
      cuerpo(this.api.GET('/api/recolecciones', { params: { query: { ...filtro, ...cursor } } })),
    );
  }

  obtenerRecoleccion(recoleccion: string): Promise<Esquemas['RespuestaRecoleccion']> {
    const params = { path: { recoleccion } };
    return cuerpo(this.api.GET('/api/recolecciones/{recoleccion}', { params }));
  }

  cancelarRecoleccion(recoleccion: string): Promise<Esquemas['RespuestaRecoleccionCancelada']> {
    const params = { path: { recoleccion } };
    return cuerpo(this.api.POST('/api/recolecciones/{recoleccion}/cancelar', { params }));
  }

  /** Lo que se cobró al entregar, guía por guía. Con `diferencia: 'si'`, solo lo que no cuadra. */
  recorrerCobros(filtro: FiltroDeCobros = {}): AsyncGenerator<Esquemas['CobroDeLista'], void> {
    return paginas((cursor) =>
      cuerpo(this.api.GET('/api/cobros', { params: { query: { ...filtro, ...cursor } } })),
    );
  }

  recorrerLiquidaciones(filtro: FiltroDeLiquidaciones = {}): AsyncGenerator<Esquemas['Liquidacion'], void> {
    return paginas((cursor) =>
      cuerpo(this.api.GET('/api/liquidaciones', { params: { query: { ...filtro, ...cursor } } })),
    );
  }

  /** Los movimientos que una liquidación paga. */
  recorrerLiquidacion(liquidacion: string): AsyncGenerator<Esquemas['MovimientoLiquidado'], void> {
    return paginas(async (cursor) => {
      const params = { path: { liquidacion }, query: { limite: 500, ...cursor } };
      const { data, siguiente } = await cuerpo(this.api.GET('/api/liquidaciones/{liquidacion}', { params }));
      return { data: data.Detalle, siguiente };
    });
  }
}

function headersDe({ idempotencyKey }: Nombre) {
  return idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
}

/** Todo error se lanzó ya, así que hay datos. */
async function cuerpo<T>(respuesta: Promise<{ data?: T }>): Promise<NonNullable<T>> {
  return (await respuesta).data as NonNullable<T>;
}

async function bytes(respuesta: Promise<{ data?: ArrayBuffer }>): Promise<Uint8Array> {
  return new Uint8Array(await cuerpo(respuesta));
}

type Pagina<T> = { data: T[]; siguiente?: string | null };

async function* paginas<T>(
  pedir: (cursor: { cursor?: string }) => Promise<Pagina<T>>,
): AsyncGenerator<T, void> {
  let cursor: string | null | undefined;
  do {
    const pagina = await pedir(cursor ? { cursor } : {});
    yield* pagina.data;
    cursor = pagina.siguiente;
  } while (cursor);
}
