import { Type } from 'typebox';
import { MAX_GUIDES, SentGuide, ServiceType } from '#shared/guides/guide.ts';
import { MEASURES } from '../guides/guide-request.ts';
import { GUIDE_FIELDS } from '../guides/schemas.ts';
import { optionalSection } from '../http/schemas.ts';
import { QUOTE_EXAMPLES } from './examples.ts';

const { Remitente, Destinatario, Producto, Cotizacion } = SentGuide.properties;

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
          Creado_por: Type.Optional(GUIDE_FIELDS.Creado_por),
          Referencia: GUIDE_FIELDS.Referencia,
          Cotizacion,
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
