import { SERVICE } from './fields.ts';
import { type Row, readRow } from './rows.ts';

/** The body of `POST /api/guias/crear` for one row. */
export type Body = { TipoServicio: unknown; Guia: [Record<string, unknown>] };

/** Makes the request of a row. A cell that is refused is left out: the row is not created with it. */
export function bodyOf(cells: Row['cells']): Body {
  const guide: Record<string, unknown> = { Remitente: {}, Destinatario: {}, Producto: {}, Creado_por: {} };
  let service: unknown = 'Domicilio';
  for (const [path, { value }] of readRow(cells)) {
    if (value === undefined) continue;
    if (path === SERVICE) service = value;
    else put(guide, path.split('.'), value);
  }
  return { TipoServicio: service, Guia: [guide] };
}

function put(guide: Record<string, unknown>, [section = '', name]: string[], value: unknown): void {
  if (name === undefined) guide[section] = value;
  else guide[section] = { ...(guide[section] as object | undefined), [name]: value };
}

/** Returns the Referencia that the service knows the row's guide by. */
export function referenceOf(cells: Row['cells']): string | undefined {
  return bodyOf(cells).Guia[0].Referencia as string | undefined;
}

/** Names a body without its quote, so that equal rows are found: the order of its fields does not matter. */
export function contentOf({ TipoServicio, Guia: [{ Cotizacion: _, ...guide }] }: Body): string {
  return JSON.stringify([TipoServicio, guide], (_name, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
}

/** Gives each row that is sent the first occurrence among equal ones that no other row of this page has. */
export class Occurrences {
  readonly #taken = new Map<string, Map<number, number>>();

  /** Returns which of the equal rows a row is; the same again for the same row. */
  of(row: number, content: string): number {
    const taken = this.#taken.get(content) ?? new Map<number, number>();
    this.#taken.set(content, taken);
    const own = taken.get(row) ?? firstFree(new Set(taken.values()));
    taken.set(row, own);
    return own;
  }

  /** A row that was refused is none of the equal rows any more: it may be corrected. */
  release(row: number, content: string): void {
    this.#taken.get(content)?.delete(row);
  }
}

function firstFree(taken: ReadonlySet<number>): number {
  for (let free = 0; ; free++) if (!taken.has(free)) return free;
}
