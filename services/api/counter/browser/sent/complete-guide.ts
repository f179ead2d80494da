import type { ServiceType } from '#shared/guides/guide.ts';

/** A sender or a recipient. */
export type Person = Readonly<Record<string, string | undefined>>;
/** A guide with all that it has. */
export type CompleteGuide = {
  SEND_GUIA: string;
  SEND_ESTATUS: string;
  SEND_FECHA: string;
  SEND_SUCU_ORIG: string;
  SEND_SUCU_DEST: string;
  SEND_TOTAL: number;
  /** The days of its quote, as `YYYY-MM-DD`. */
  EntregaEstimada?: { Desde: string; Hasta: string };
  TipoServicio: ServiceType;
  Referencia?: string;
  Remitente: Person;
  Destinatario: Person;
  Producto: { Contenido?: string; Paquetes?: number; Peso?: number };
  Cobro?: { Monto: number };
  Devolucion?: string;
  DevolucionDe?: string;
};
