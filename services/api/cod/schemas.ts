import { Type } from 'typebox';
import { DIFFERENCES } from '#shared/cod/collection-model.ts';
import { REMITTANCE_NUMBER } from './remittances.ts';

/** Collected money as answers show it; a `title` is a name in the OpenAPI document. */

export const REMITTANCE_PARAMS = Type.Object({
  liquidacion: Type.String({
    pattern: REMITTANCE_NUMBER,
    description: 'Número de la liquidación',
    examples: ['L48291365074'],
  }),
});

const MOVEMENT = {
  Id: Type.String({ description: 'El del evento que lo dice', examples: ['MTY01-000123'] }),
  Importe: Type.Number({ description: 'MXN; negativo si el evento se anuló', examples: [450.5] }),
  Medio: Type.String({ examples: ['efectivo'] }),
  Registrado: Type.String({ description: 'Cuándo, en UTC', examples: ['2026-11-22T19:05:04.120Z'] }),
};
const MOVEMENT_EXAMPLE = {
  ...{ Id: 'MTY01-000123', Importe: 450.5, Medio: 'efectivo' },
  Registrado: '2026-11-22T19:05:04.120Z',
};

export const CollectedAnswer = Type.Object(
  {
    SEND_GUIA: Type.String({ examples: ['390458235877'] }),
    SEND_FECHA: Type.String({ description: 'De la guía, hora local', examples: ['2026-11-21T05:05:10'] }),
    SEND_ESTATUS: Type.String({ examples: ['Entregado'] }),
    Referencia: Type.Optional(Type.String({ description: 'La del cliente', examples: ['PEDIDO-1042'] })),
    Prueba: Type.Optional(Type.Literal(true, { description: 'Si la guía es de una cuenta de prueba' })),
    Cobro: Type.Number({ description: 'MXN, lo que había que cobrar; 0 si nada', examples: [450.5] }),
    Cobrado: Type.Number({ description: 'MXN, lo que se cobró, sin lo anulado', examples: [450.5] }),
    Diferencia: Type.Optional(
      Type.Object(
        {
          Tipo: Type.Enum([...DIFFERENCES], {
            type: 'string',
            description:
              'falta: se cobró de menos. sobra: de más. sin_cobro: se entregó sin cobrar. devuelta: se cobró y la guía se devolvió',
          }),
          Importe: Type.Number({
            description: 'MXN, lo cobrado menos lo que se debía cobrar: de una guía devuelta, nada',
            examples: [-50.5],
          }),
        },
        { title: 'DiferenciaDeCobro', description: 'En qué difiere lo cobrado; falta si en nada' },
      ),
    ),
    Movimientos: Type.Array(
      Type.Object(
        {
          ...MOVEMENT,
          Liquidacion: Type.Optional(
            Type.String({
              description: 'La que lo paga; falta si aún no se paga',
              examples: ['L48291365074'],
            }),
          ),
        },
        { title: 'MovimientoDeCobro', description: 'Dinero que se cobró, o que se anuló' },
      ),
    ),
  },
  { title: 'CobroDeLista', description: 'Lo que se cobró al entregar una guía' },
);

export const COLLECTED_EXAMPLE = {
  ...{ SEND_GUIA: '390458235877', SEND_FECHA: '2026-11-21T05:05:10', SEND_ESTATUS: 'Entregado' },
  ...{ Referencia: 'PEDIDO-1042', Cobro: 450.5, Cobrado: 450.5 },
  Movimientos: [{ ...MOVEMENT_EXAMPLE, Liquidacion: 'L48291365074' }],
};

const REMITTANCE = {
  Liquidacion: Type.String({ examples: ['L48291365074'] }),
  Fecha: Type.String({ description: 'Cuándo se hizo, hora local', examples: ['2026-12-01T10:00:00'] }),
  Hasta: Type.String({
    description: 'Paga lo que se registró antes, en UTC',
    examples: ['2026-12-01T06:00:00.000Z'],
  }),
  Importe: Type.Number({ description: 'MXN', examples: [450.5] }),
  Movimientos: Type.Integer({ description: 'Cuántos', examples: [1] }),
  Estado: Type.Enum(['pagada', 'anulada'], {
    type: 'string',
    description: 'anulada: el banco la rechazó, y sus movimientos se pagan con otra',
  }),
  Anulada: Type.Optional(Type.String({ description: 'Cuándo, hora local' })),
};
export const RemittanceAnswer = Type.Object(REMITTANCE, {
  title: 'Liquidacion',
  description: 'Lo que el transportista le pagó de una vez',
});
export const CompleteRemittance = Type.Object(
  {
    ...REMITTANCE,
    Detalle: Type.Array(
      Type.Object(
        { SEND_GUIA: Type.String({ examples: ['390458235877'] }), ...MOVEMENT },
        { title: 'MovimientoLiquidado', description: 'Un movimiento de la liquidación' },
      ),
    ),
  },
  { title: 'LiquidacionCompleta', description: 'Una liquidación, con una página de sus movimientos' },
);

export const REMITTANCE_EXAMPLE = {
  ...{ Liquidacion: 'L48291365074', Fecha: '2026-12-01T10:00:00', Hasta: '2026-12-01T06:00:00.000Z' },
  ...{ Importe: 450.5, Movimientos: 1, Estado: 'pagada' as const },
};
export const COMPLETE_REMITTANCE_EXAMPLE = {
  ...REMITTANCE_EXAMPLE,
  Detalle: [{ SEND_GUIA: '390458235877', ...MOVEMENT_EXAMPLE }],
};
