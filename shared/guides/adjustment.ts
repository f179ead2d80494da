import { type Static, Type } from 'typebox';

const amounts = {
  Antes: Type.Number({ description: 'MXN, de la cotización', examples: [142] }),
  Ahora: Type.Number({ description: 'MXN, de lo pesado', examples: [168] }),
  Diferencia: Type.Number({ description: 'Ahora menos antes, en MXN', examples: [26] }),
};

/**
 * The difference between the price of a guide as quoted and as weighed, by one version of the tariff (docs/contract.md
 * "Quotes"). Stored in guides and events: fields may be added, and none renamed.
 */
export const Adjustment = Type.Object(
  {
    Version: Type.Integer({ description: 'La de la tarifa de la cotización', examples: [12] }),
    Antes: Type.Number({ description: 'Lo cotizado: SEND_TOTAL', examples: [194.3] }),
    Ahora: Type.Optional(
      Type.Number({ description: 'Lo que cuesta lo pesado; falta con SinPrecio', examples: [227.92] }),
    ),
    Diferencia: Type.Optional(
      Type.Number({ description: 'Ahora menos antes; falta con SinPrecio', examples: [33.62] }),
    ),
    Lineas: Type.Optional(
      Type.Array(
        Type.Object(
          {
            Concepto: Type.String({ examples: ['flete'] }),
            Descripcion: Type.String({ description: 'Cómo se calculó', examples: ['Zona 3, hasta 10 kg'] }),
            ...amounts,
          },
          { title: 'LineaDeAjuste', description: 'Un concepto del precio, antes y ahora' },
        ),
        { description: 'Todos los conceptos; la suma de cada columna es su total' },
      ),
    ),
    SinPrecio: Type.Optional(
      Type.String({
        description: 'Por qué lo pesado no tiene precio en esa tarifa',
        examples: ['el paquete pesa 71 kg, real o volumetrico, y el maximo es 70 kg'],
      }),
    ),
  },
  { title: 'Ajuste', description: 'Lo que cambia el precio de una guía por lo que pesa, en MXN' },
);
export type Adjustment = Static<typeof Adjustment>;
