// De los archivos con pedidos a las guías creadas.
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { api, type Envio, exito, type Guia, type RespuestaError, type Solicitud } from './api.mts';
import { base, enTransaccion } from './base.mts';
import { corregir } from './corregir.mts';
import { leerPedidos, type Pedido } from './pedidos.mts';

type Respuesta<T> = { data?: { data: T[] }; error?: RespuestaError };

/** Lo que decide una persona: todo lo que impide documentar cada pedido. */
const apartados = new Map<string, string>();

/** Crea las guías de los pedidos que aún no la tienen. Los que no se pueden corregir quedan en por-revisar.csv. */
export async function documentar(...archivos: string[]): Promise<void> {
  await crearPendientes(); // de una vez que el programa no terminó
  const conGuia = base.prepare('SELECT 1 FROM guias WHERE pedido = ?');
  const pedidos = unicos(archivos.flatMap(leerPedidos)).filter(({ numero }) => !conGuia.get(numero));
  // Una solicitud tiene un solo TipoServicio.
  for (const [TipoServicio, grupo] of Map.groupBy(pedidos, ({ servicio }) => servicio)) {
    const validos = await aceptar(grupo, (Guia) =>
      api.POST('/api/guias/validar', { body: { TipoServicio, Guia } }),
    );
    const cotizados = await aceptar(
      validos.map(([pedido]) => pedido),
      (guias) => api.POST('/api/guias/cotizar', { body: { TipoServicio, Guia: guias as Envio[] } }),
    );
    const Guia = cotizados.map(([{ guia }, { Opciones }]) => ({
      ...guia,
      Cotizacion: Opciones[0].Cotizacion,
    }));
    if (Guia.length > 0) guardarPendiente({ TipoServicio, Guia });
  }
  await crearPendientes();
  const filas = [['pedido', 'motivo'], ...apartados].map((fila) => fila.map((celda) => `"${celda}"`).join());
  writeFileSync('por-revisar.csv', `${filas.join('\r\n')}\r\n`);
}

/** Un pedido que se repite igual cuenta una vez. De dos distintos con el mismo número decide una persona. */
function unicos(pedidos: Pedido[]): Pedido[] {
  return [...Map.groupBy(pedidos, ({ numero }) => numero)].flatMap(([numero, [pedido, ...otros]]) => {
    if (otros.every((otro) => isDeepStrictEqual(otro, pedido))) return [pedido];
    apartados.set(numero, 'Hay dos pedidos distintos con este número');
    return [];
  });
}

/** Manda las guías hasta que todas se aceptan: corrige lo que se puede, y aparta lo demás. Da lo que recibió de cada una. */
async function aceptar<T>(
  pedidos: Pedido[],
  mandar: (guias: Guia[]) => Promise<Respuesta<T>>,
): Promise<[Pedido, T][]> {
  if (pedidos.length === 0) return [];
  const respuesta = await mandar(pedidos.map(({ guia }) => guia));
  const problemas = (respuesta.error?.details ?? []).filter(({ indice }) => indice !== undefined);
  if (problemas.length === 0) return exito(respuesta).data.map((dato, i) => [pedidos[i], dato]);
  const fuera = new Set<Pedido>();
  for (const { indice = 0, ...problema } of problemas) {
    const pedido = pedidos[indice];
    if (corregir(pedido.guia, problema)) continue;
    const motivo = apartados.get(pedido.numero);
    apartados.set(pedido.numero, motivo ? `${motivo}; ${problema.message}` : problema.message);
    fuera.add(pedido);
  }
  return aceptar(
    pedidos.filter((pedido) => !fuera.has(pedido)),
    mandar,
  );
}

/** La clave se guarda antes de mandar la solicitud: si no hay respuesta, se repite con ella y nada se crea dos veces. */
function guardarPendiente(solicitud: Solicitud): void {
  base.prepare('INSERT INTO pendientes VALUES (?, ?)').run(randomUUID(), JSON.stringify(solicitud));
}

async function crearPendientes(): Promise<void> {
  const guardar = base.prepare('INSERT INTO guias (guia, pedido, total, paquetes) VALUES (?, ?, ?, ?)');
  for (const { clave, solicitud } of base.prepare('SELECT * FROM pendientes').all()) {
    const body: Solicitud = JSON.parse(String(solicitud));
    const params = { header: { 'idempotency-key': String(clave) } };
    const { data, advertencias = [] } = exito(await api.POST('/api/guias/crear', { params, body }));
    enTransaccion(() => {
      for (const [i, { SEND_GUIA, SEND_TOTAL }] of data.entries()) {
        const { Referencia = '', Producto } = body.Guia[i];
        guardar.run(SEND_GUIA, Referencia, SEND_TOTAL, Producto.Paquetes ?? 1);
      }
      base.prepare('DELETE FROM pendientes WHERE clave = ?').run(clave);
    });
    process.stdout.write(`${data.length} guías nuevas\n`);
    for (const { indice = 0, message } of advertencias) {
      process.stdout.write(`Aviso de ${body.Guia[indice].Referencia}: ${message}\n`);
    }
  }
}
