import type { Adjustment } from '#shared/guides/adjustment.ts';

/** Examples in the OpenAPI document. */

/** A parcel that was quoted with 2.5 kg, and weighs 8 kg. */
const WEIGHED = { Peso: 8, Largo: 40, Alto: 30, Ancho: 30 };

/** Bodies of a registration of events, by name. */
export const EVENTS_EXAMPLES = {
  eventos: {
    summary: 'Eventos de guías',
    value: {
      Eventos: [
        { Guia: '390458235877', Tipo: 'EnReparto', Ocurrido: '2026-11-22T10:30:00-06:00', Sucursal: 'MTY01' },
      ],
    },
  },
  entregado: {
    summary: 'Una entrega en la que se cobró',
    value: {
      Eventos: [
        {
          ...{ Guia: '390458235877', Tipo: 'Entregado', Ocurrido: '2026-11-22T13:05:00-06:00' },
          ...{ Recibe: 'Luis Pérez', Cobrado: { Monto: 450.5, Medio: 'efectivo' } },
        },
      ],
    },
  },
  pesaje: {
    summary: 'Lo que pesa y mide un paquete',
    value: {
      Eventos: [{ Guia: '390458235877', Tipo: 'Pesaje', Ocurrido: '2026-11-21T18:05:00-06:00', ...WEIGHED }],
    },
  },
};

const EVENT = {
  Id: 'MTY01-000123',
  Tipo: 'Entregado',
  Ocurrido: '2026-11-22T19:05:00.000Z',
  Registrado: '2026-11-22T19:05:04.120Z',
  Sucursal: 'MTY01',
} as const;

export const GUIDE_EVENT_EXAMPLE = { ...EVENT, Recibe: 'Luis Pérez', Anulado: false };

export const FEED_EXAMPLE = {
  ...EVENT,
  SEND_GUIA: '390458235877',
  Referencia: 'PEDIDO-1042',
  SEND_ESTATUS: 'Entregado',
  Version: 4,
} as const;

export const ADJUSTMENT_EXAMPLE: Adjustment = {
  Version: 12,
  Antes: 194.3,
  Ahora: 257.16,
  Diferencia: 62.86,
  Lineas: [
    { Concepto: 'flete', Descripcion: 'Zona 3, hasta 10 kg', Antes: 142, Ahora: 196, Diferencia: 54 },
    { Concepto: 'descuento', Descripcion: '10 % de 196.00', Antes: -14.2, Ahora: -19.6, Diferencia: -5.4 },
    {
      ...{ Concepto: 'combustible', Descripcion: '11.5 % de 176.40' },
      ...{ Antes: 14.7, Ahora: 20.29, Diferencia: 5.59 },
    },
    {
      ...{ Concepto: 'seguro', Descripcion: '1.5 % de 1500.00, minimo 25.00' },
      ...{ Antes: 25, Ahora: 25, Diferencia: 0 },
    },
    { Concepto: 'iva', Descripcion: '16 % de 221.69', Antes: 26.8, Ahora: 35.47, Diferencia: 8.67 },
  ],
};

export const WEIGHING_EXAMPLE = {
  Tipo: 'Pesaje',
  ...{ Id: 'MEX01-000124', Sucursal: 'MEX01', ...WEIGHED },
  ...{ Ocurrido: '2026-11-22T00:05:00.000Z', Registrado: '2026-11-22T00:05:04.120Z' },
  ...{ Ajuste: ADJUSTMENT_EXAMPLE, Anulado: false },
} as const;
