// La base de datos de la tienda (tienda.sql).
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Evento } from './api.mts';

export const base = new DatabaseSync(process.env.BASE ?? 'tienda.db', { timeout: 5_000 });
base.exec(readFileSync(new URL('../tienda.sql', import.meta.url), 'utf8'));

/** Guarda todo lo que haga `trabajo`, o nada. */
export function enTransaccion<T>(trabajo: () => T): T {
  base.exec('BEGIN IMMEDIATE');
  try {
    const resultado = trabajo();
    base.exec('COMMIT');
    return resultado;
  } catch (error) {
    base.exec('ROLLBACK');
    throw error;
  }
}

/** Da cuántos eventos son nuevos: uno que se repite no cuenta. */
export function guardarEventos(eventos: readonly Evento[]): number {
  const guardar = base.prepare('INSERT OR IGNORE INTO eventos VALUES (?, ?, ?, ?, ?)');
  return eventos
    .map((e) => Number(guardar.run(e.SEND_GUIA, e.Id, e.Version, e.Tipo, e.SEND_ESTATUS).changes))
    .reduce((suma, nuevos) => suma + nuevos, 0);
}

export function leerValor(nombre: string): string | undefined {
  return base.prepare('SELECT valor FROM valores WHERE nombre = ?').get(nombre)?.valor as string | undefined;
}

export function guardarValor(nombre: string, valor: string): void {
  base.prepare('INSERT OR REPLACE INTO valores VALUES (?, ?)').run(nombre, valor);
}
