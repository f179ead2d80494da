import type { Peticion } from './peticion.mjs';

type Pagina = { siguiente?: string | null };

/** Lo que los métodos usan: cómo se pide, y cómo se recorren las páginas de las listas. */
export abstract class Recorridos {
  protected abstract responder(peticion: Peticion): Promise<Response>;

  protected async json<T>(peticion: Peticion): Promise<T> {
    return (await this.responder(peticion)).json() as Promise<T>;
  }

  protected async bytes(peticion: Peticion): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await (await this.responder(peticion)).arrayBuffer());
  }

  protected async *recorrer<P extends Pagina, T>(
    pedir: (cursor: string | undefined) => Promise<P>,
    elementosDe: (pagina: P) => T[],
  ): AsyncGenerator<T, void> {
    let cursor: string | null | undefined;
    do {
      const pagina = await pedir(cursor ?? undefined);
      yield* elementosDe(pagina);
      cursor = pagina.siguiente;
    } while (cursor);
  }

  protected async *seguir<P extends Pagina & { data: unknown[] }>(
    pedir: (cursor: string | undefined) => Promise<P>,
    cursor: string | undefined,
  ): AsyncGenerator<P, void> {
    for (let desde = cursor; ; ) {
      const pagina = await pedir(desde);
      if (pagina.data.length === 0) return;
      yield pagina;
      desde = pagina.siguiente ?? undefined;
    }
  }
}
