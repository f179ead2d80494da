import { type TNumber, Type } from 'typebox';
import type { Head } from './columns.ts';

/** What an account used as answers show it; a `title` is a name in the OpenAPI document. */

const count = (description: string) => Type.Integer({ description });
const money = (description: string) => Type.Number({ description: `MXN con IVA, ${description}` });

const FIGURES = {
  Guias: count('Guías creadas para la cuenta, por su `SEND_FECHA`, también las que se cancelaron'),
  Canceladas: count('Guías cuya cancelación se registró'),
  Entregadas: count('Guías que se entregaron, menos las que dejaron de estarlo; puede ser negativo'),
  Etiquetas: count('Etiquetas recibidas, una por paquete, también otra vez; por día, desde la versión 1.11'),
  Total: money('suma de `SEND_TOTAL` de `Guias`'),
  TotalCanceladas: money('suma de `SEND_TOTAL` de `Canceladas`, también de otros meses'),
  Ajustes: money('lo que los pesajes cambiaron el precio de guías cotizadas'),
  SinPrecio: count('Guías cotizadas cuyo pesaje la tarifa no puede cobrar, menos las que dejaron de ser así'),
  SinCotizar: count('Las de `Guias` que se crearon sin `Cotizacion`, con `SEND_TOTAL` 0'),
  PorCotizar: money('lo que cuestan las guías sin `Cotizacion`, con sus pesajes y cancelaciones'),
  SinTarifa: count('Las de `SinCotizar` que no tienen precio, menos las que ya lo tienen o se cancelaron'),
} satisfies Record<Head, TNumber | ReturnType<typeof count>>;

export const MonthAnswer = Type.Object(
  {
    Cuenta: Type.String({ examples: ['tienda'] }),
    Mes: Type.String({ examples: ['2026-11'] }),
    Provisional: Type.Boolean({
      description: 'Si aún puede sumarse algo: un mes se cierra una hora después de su fin',
    }),
    ...FIGURES,
    Dias: Type.Array(
      Type.Object(
        { Fecha: Type.String({ examples: ['2026-11-05'] }), ...FIGURES },
        { title: 'DiaDeUso', description: 'Lo mismo de un día' },
      ),
      { description: 'Los días del mes que ya empezaron, en orden' },
    ),
  },
  { title: 'Uso', description: 'Lo que una cuenta usó en un mes' },
);

const DAY = {
  ...{ Guias: 3, Canceladas: 1, Entregadas: 2, Etiquetas: 4 },
  ...{ Total: 582.9, TotalCanceladas: 194.3, Ajustes: 62.86 },
  ...{ SinPrecio: 0, SinCotizar: 0, PorCotizar: 0, SinTarifa: 0 },
};
export const MONTH_EXAMPLE = {
  ...{ Cuenta: 'tienda', Mes: '2026-11', Provisional: true },
  ...DAY,
  Dias: [{ Fecha: '2026-11-01', ...DAY }],
};
