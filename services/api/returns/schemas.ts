import { Type } from 'typebox';
import { SentGuide, ServiceType } from '#shared/guides/guide.ts';
import { CREATED_EXAMPLE } from '../guides/examples.ts';
import { GuideSummary } from '../guides/guide-summary.ts';
import { SENT_FIELDS } from '../guides/schemas.ts';
import type { Additions } from '../http/operation.ts';
import { describeField, optionalSection } from '../http/schemas.ts';
import { QuoteAnswer } from '../quotes/schemas.ts';
import { RETURN_REASONS } from './return.ts';

/** Returns as requests and answers have them; a `title` is a name in the OpenAPI document. */

const { Producto, Destinatario } = SentGuide.properties;

/** What the price and the way of a return follow from, beside the original. */
const PLAN_FIELDS = {
  TipoServicio: Type.Optional({
    ...ServiceType,
    description:
      'Si falta: a domicilio, si el remitente tiene calle y un código postal con cobertura; si no, the service',
  }),
  DestinoCode: Type.Optional(
    Type.Unsafe<string>({
      ...describeField(Destinatario.properties.DestinoCode),
      description: 'La sucursal donde se recoge la devolución, en lugar del domicilio del remitente',
    }),
  ),
  Producto: Type.Optional(optionalSection('ProductoDevuelto', Producto)),
  Remitente: Type.Optional(SENT_FIELDS.Remitente),
};

/** Documents the body; `parseReturnRequest` validates it. */
export const ReturnBody = Type.Object(
  {
    ...PLAN_FIELDS,
    Motivo: Type.Optional(Type.Enum([...RETURN_REASONS], { type: 'string', description: 'Por qué vuelve' })),
    Anticipada: Type.Optional(
      Type.Boolean({
        description: 'true: antes de que la guía se entregue, para que la etiqueta vaya dentro de la caja',
      }),
    ),
    Cotizacion: SENT_FIELDS.Cotizacion,
  },
  {
    title: 'SolicitudDeDevolucion',
    description:
      'Lo que difiere de la guía original; `{}` basta. Sin `Remitente` devuelve el destinatario de la original; sin `Producto` vuelve lo mismo.',
    additionalProperties: false,
    'x-examples': {
      minima: { summary: 'De una guía entregada, todo como en ella', value: {} },
      anticipada: { summary: 'La etiqueta va en la caja', value: { Anticipada: true } },
      parte: {
        summary: 'Vuelve un paquete, a una sucursal',
        value: { Producto: { Paquetes: 1 }, DestinoCode: 'MEX01', Motivo: 'danado' },
      },
    },
  },
);

export const ReturnQuoteBody = Type.Object(PLAN_FIELDS, {
  title: 'SolicitudDeCotizacionDeDevolucion',
  description: 'Como en la devolución; `{}` basta',
  additionalProperties: false,
  'x-examples': { minima: { summary: 'Todo como en la guía original', value: {} } },
});
export const ReturnQuote = Type.Object(
  {
    SEND_SUCU_ORIG: QuoteAnswer.properties.SEND_SUCU_ORIG,
    SEND_SUCU_DEST: QuoteAnswer.properties.SEND_SUCU_DEST,
    Opciones: QuoteAnswer.properties.Opciones,
  },
  { title: 'CotizacionDeDevolucion', description: 'El precio de una devolución' },
);

const DevolucionDe = Type.String({
  description: 'En una devolución: la guía con la que llegó el paquete',
  examples: ['390458235877'],
});
const Anticipada = Type.Literal(true, {
  description: 'En una devolución: se creó antes de que la guía se entregara',
});
const MotivoDevolucion = Type.Enum([...RETURN_REASONS], {
  type: 'string',
  description: 'En una devolución: por qué vuelve',
});

/** What returns say of a guide in every answer. */
const FACTS = {
  Devolucion: Type.Optional(
    Type.String({
      description: 'La guía con la que el paquete vuelve, si tiene una que no está cancelada',
      examples: ['482913650724'],
    }),
  ),
  DevolucionDe: Type.Optional(DevolucionDe),
  Anticipada: Type.Optional(Anticipada),
  MotivoDevolucion: Type.Optional(MotivoDevolucion),
};
export const ON_GUIDES: Additions = {
  schemas: {
    GuiaCreada: { properties: FACTS },
    GuiaCompleta: { properties: FACTS },
    EventoDeCuenta: { properties: FACTS },
  },
};

export const ListedReturn = Type.Object(
  {
    ...GuideSummary.properties,
    ...FACTS,
    Aviso: Type.Optional(
      Type.Enum(['anticipada_sin_entrega'], {
        type: 'string',
        description: 'El paquete ya viene de vuelta y su guía original no está `Entregado`',
      }),
    ),
  },
  { title: 'Devolucion', description: 'La guía de una devolución, como sale en la lista' },
);
export const ReturnLink = Type.Object(
  {
    SEND_GUIA: Type.String({ description: 'La guía de la devolución', examples: ['482913650724'] }),
    Enlace: Type.String({
      description: 'Para quien devuelve; no se puede volver a leer',
      examples: ['https://guias.example/devolver/Qm9sc2FkZVBydWViYXM'],
    }),
    Vence: Type.String({ description: 'Hasta cuándo sirve, en UTC', examples: ['2026-12-21T11:05:10.000Z'] }),
  },
  { title: 'EnlaceDeDevolucion', description: 'Un enlace con el que una persona imprime su etiqueta' },
);

export const RETURN_EXAMPLE = {
  ...CREATED_EXAMPLE,
  SEND_GUIA: '482913650724',
  SEND_SUCU_ORIG: CREATED_EXAMPLE.SEND_SUCU_DEST,
  SEND_SUCU_DEST: CREATED_EXAMPLE.SEND_SUCU_ORIG,
  SEND_REMITENTE: CREATED_EXAMPLE.SEND_DESTINATARIO,
  SEND_DESTINATARIO: CREATED_EXAMPLE.SEND_REMITENTE,
  DevolucionDe: CREATED_EXAMPLE.SEND_GUIA,
};
