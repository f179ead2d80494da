import { type Static, Type } from 'typebox';
import {
  MAX_GUIDES,
  MAX_QUOTE_LENGTH,
  QUOTE_TOKEN_EXAMPLE,
  SentGuide,
  ServiceType,
} from '#shared/guides/guide.ts';
import { PriceFields } from '#shared/guides/guide-price.ts';
import { MEASURES } from '../guides/guide-request.ts';
import { SENT_FIELDS } from '../guides/schemas.ts';
import { optionalSection } from '../http/schemas.ts';
import { QUOTE_EXAMPLES } from './examples.ts';

const { Remitente, Destinatario, Producto } = SentGuide.properties;

/** Documents the body of a request for quotes; `parseQuoteRequest` validates it. */
export const QuoteRequest = Type.Object(
  {
    TipoServicio: Type.Optional(ServiceType),
    Guia: Type.Array(
      Type.Object(
        {
          Destinatario: optionalSection('DestinatarioCotizado', Destinatario),
          Producto: optionalSection('ProductoCotizado', Producto, MEASURES),
          Remitente: Type.Optional(optionalSection('RemitenteCotizado', Remitente)),
          Creado_por: Type.Optional(SENT_FIELDS.Creado_por),
          Referencia: SENT_FIELDS.Referencia,
          Cobro: SENT_FIELDS.Cobro,
          Cotizacion: Type.Optional(Type.String({ description: 'Una anterior; aquí no cuenta' })),
        },
        { title: 'Envio', description: 'Lo que se cotiza', additionalProperties: false },
      ),
      { minItems: 1, maxItems: MAX_GUIDES },
    ),
  },
  {
    title: 'SolicitudDeCotizaciones',
    additionalProperties: false,
    description:
      'El cuerpo de `crear`, del que solo cuentan el destino y la mercancía: lo demás puede faltar. ' +
      'Sin TipoServicio hay una opción por servicio.',
    'x-examples': QUOTE_EXAMPLES,
  },
);

const { Conceptos, Peso, EntregaEstimada, Tarifa } = Type.Required(PriceFields).properties;
const Option = Type.Object(
  {
    TipoServicio: ServiceType,
    Moneda: Type.Literal('MXN'),
    SEND_FLETE: Type.Number({ description: 'Flete menos descuento', examples: [127.8] }),
    SEND_TOTAL: Type.Number({ description: 'La suma de los conceptos, con IVA', examples: [194.3] }),
    ...{ Conceptos, Peso, EntregaEstimada, Tarifa },
    Cotizacion: Type.String({
      description: `Va en la guía que se crea con este precio; hasta ${MAX_QUOTE_LENGTH} caracteres`,
      examples: [QUOTE_TOKEN_EXAMPLE],
    }),
    Vence: Type.String({ description: 'Hasta cuándo obliga', examples: ['2026-12-01T23:59:59-06:00'] }),
  },
  { title: 'OpcionDeCotizacion', description: 'El precio de un servicio, que obliga' },
);

/** The answer for one guide (docs/contract.md "Quotes"). */
export const QuoteAnswer = Type.Object(
  {
    indice: Type.Integer({ description: "Posición en 'Guia', desde 0" }),
    SEND_SUCU_ORIG: Type.String({ description: 'Sucursal de origen', examples: ['MEX01'] }),
    SEND_SUCU_DEST: Type.String({ description: 'Sucursal de destino', examples: ['MTY01'] }),
    Opciones: Type.Array(Option),
  },
  { title: 'Cotizacion', description: 'Los precios de un envío, uno por servicio' },
);
export type QuoteAnswer = Static<typeof QuoteAnswer>;
