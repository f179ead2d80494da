// Una tienda documenta sus pedidos, los imprime, y sigue lo que pasa con ellos. README.md dice cómo se usa.
import { writeFileSync } from 'node:fs';
import { api, type Escenario, exito } from './api.mts';
import { base, enTransaccion, guardarEventos, guardarValor, leerValor } from './base.mts';
import { documentar } from './documentar.mts';
import { recibir } from './recibir.mts';

const ORDENES: Readonly<Record<string, (...argumentos: string[]) => Promise<void>>> = {
  ...{ documentar, imprimir, imagen, recibir, seguir, problemas, cancelar, ensayar },
};
const [orden = '', ...argumentos] = process.argv.slice(2);
if (ORDENES[orden]) await ORDENES[orden](...argumentos);
else process.stderr.write(`Uso: node tienda.mts ${Object.keys(ORDENES).join('|')}\n`);

/** Imprime en etiquetas.pdf lo que aún no se ha impreso. */
async function imprimir(): Promise<void> {
  const Guias = base
    .prepare('SELECT guia FROM guias WHERE impresa = 0 ORDER BY rowid')
    .all()
    .map(({ guia }) => String(guia));
  const body = { Guias, Tipo: 'pequena' } as const;
  const pdf = exito(await api.POST('/api/guias/etiquetas', { body, parseAs: 'arrayBuffer' }));
  writeFileSync('etiquetas.pdf', Buffer.from(pdf));
  const impresa = base.prepare('UPDATE guias SET impresa = 1 WHERE guia = ?');
  for (const guia of Guias) impresa.run(guia);
}

/** Guarda la etiqueta de un pedido como imagen, del primero de sus paquetes. */
async function imagen(pedido: string): Promise<void> {
  const [guia] = guiasDe(pedido);
  const params = { path: { guia }, query: { formato: 'png', paquete: 1 } } as const;
  const png = exito(await api.GET('/api/guias/etiqueta-10x15/{guia}', { params, parseAs: 'arrayBuffer' }));
  writeFileSync(`${pedido}.png`, Buffer.from(png));
}

function guiasDe(pedido: string): string[] {
  const filas = base.prepare('SELECT guia FROM guias WHERE pedido = ?').all(pedido);
  if (filas.length === 0) throw new Error(`El pedido ${pedido} no tiene guía`);
  return filas.map(({ guia }) => String(guia));
}

/** Pide los eventos que faltan, desde donde se quedó. Para un cron de cada minuto, con webhook o sin él. */
async function seguir(): Promise<void> {
  for (;;) {
    const cursor = leerValor('cursor');
    const query = { limite: 500, ...(cursor && { cursor }) };
    const { data, siguiente = '' } = exito(await api.GET('/api/eventos', { params: { query } }));
    // El cursor se guarda junto con lo que trajo: si el programa se cae antes, recibe otra vez la misma página.
    const nuevos = enTransaccion(() => {
      guardarValor('cursor', siguiente);
      return guardarEventos(data);
    });
    process.stdout.write(`${nuevos} eventos nuevos, ${data.length - nuevos} repetidos\n`);
    if (data.length === 0) return;
  }
}

/** Dice qué pedidos tienen un problema que alguien debe ver. */
async function problemas(): Promise<void> {
  let cursor: string | null | undefined;
  do {
    const query = { estatus: 'Incidencia', limite: 500, ...(cursor && { cursor }) } as const;
    const pagina = exito(await api.GET('/api/guias', { params: { query } }));
    for (const { SEND_GUIA: guia, Referencia } of pagina.data) {
      const { data } = exito(await api.GET('/api/guias/{guia}/eventos', { params: { path: { guia } } }));
      const causa = data.findLast(({ Tipo, Anulado }) => Tipo === 'Incidencia' && !Anulado);
      process.stdout.write(`${Referencia} ${guia}: ${causa?.Motivo}\n`);
    }
    cursor = pagina.siguiente;
  } while (cursor);
}

/** Cancela las guías de un pedido que no se va a mandar. */
async function cancelar(pedido: string): Promise<void> {
  const params = { query: { referencia: pedido } };
  for (const { SEND_GUIA: guia } of exito(await api.GET('/api/guias', { params })).data) {
    exito(await api.POST('/api/guias/{guia}/cancelar', { params: { path: { guia } } }));
    process.stdout.write(`${pedido} ${guia}: cancelada\n`);
  }
}

/** En una cuenta de prueba: que pasen estas cosas, cada una con otra guía. */
async function ensayar(...escenarios: string[]): Promise<void> {
  for (const escenario of escenarios) {
    const condicion = escenario === 'varios_paquetes' ? 'paquetes > 1' : 'paquetes = 1';
    const fila = base.prepare(`SELECT guia FROM guias WHERE ensayo IS NULL AND ${condicion}`).get();
    const guia = String(fila?.guia);
    const body = { Escenario: escenario as Escenario };
    exito(await api.POST('/api/guias/{guia}/simular', { params: { path: { guia } }, body }));
    base.prepare('UPDATE guias SET ensayo = ? WHERE guia = ?').run(escenario, guia);
  }
}
