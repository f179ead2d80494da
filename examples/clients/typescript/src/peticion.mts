/** Lo que un método pide. */
export type Peticion = {
  metodo: string;
  ruta: string;
  query?: Record<string, string | number | undefined>;
  solicitud?: object;
  archivo?: Uint8Array<ArrayBuffer>;
  tipo?: string;
  /** Lleva una `Idempotency-Key`, con la que repetirla no crea nada dos veces. */
  crea?: boolean;
  idempotencyKey?: string | undefined;
  /** `false` si repetida hace lo suyo otra vez. */
  repetible?: boolean;
};

/** Como parte de una ruta. Una vacía pediría otra cosa, como la lista de todas las guías. */
export function parte(nombre: string): string {
  if (['', '.', '..'].includes(nombre)) throw new TypeError(`No es el nombre de nada: '${nombre}'`);
  return encodeURIComponent(nombre);
}
