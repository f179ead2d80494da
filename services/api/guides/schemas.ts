import { Type } from 'typebox';
import { Adjustment } from '#shared/guides/adjustment.ts';
import { GUIDE_NUMBER, MAX_GUIDES, SentGuide, ServiceType } from '#shared/guides/guide.ts';
import { PriceFields } from '#shared/guides/guide-price.ts';
import { GUIDE_RULE } from '../http/parameter-rules.ts';
import { answeredSection, describeField, describeSection } from '../http/schemas.ts';
import { GUIDE_EXAMPLES } from './examples.ts';
import { GuideSummary } from './guide-summary.ts';

/** Schemas of guides, with their texts in the OpenAPI document; a `title` is a name in it. */

export const GuideParams = Type.Object({
  guia: Type.String({
    pattern: GUIDE_NUMBER,
    description: 'Número de guía (SEND_GUIA)',
    examples: ['390458235877'],
    'x-regla': GUIDE_RULE,
  }),
});

const { Remitente, Destinatario, Producto, Creado_por, Cobro, Cotizacion } = SentGuide.properties;
const Referencia = Type.Optional(Type.Unsafe<string>(describeField(SentGuide.properties.Referencia)));

/** The fields of a guide in a request. */
export const SENT_FIELDS = {
  Remitente: describeSection('Remitente', Remitente),
  Destinatario: describeSection('Destinatario', Destinatario),
  Producto: describeSection('Producto', Producto),
  Creado_por: describeSection('CreadoPor', Creado_por),
  Referencia,
  Cobro: Type.Optional(describeSection('Cobro', Cobro)),
  // A text of another form is no quote of ours, which its own error says.
  Cotizacion: Type.Optional({ ...Cotizacion, pattern: '^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$' }),
};

const ANSWERED_FIELDS = {
  Remitente: answeredSection('RemitenteDeGuia', Remitente),
  Destinatario: answeredSection('DestinatarioDeGuia', Destinatario),
  Producto: answeredSection('ProductoDeGuia', Producto),
  Creado_por: answeredSection('CreadorDeGuia', Creado_por),
  Referencia,
  Cobro: Type.Optional(answeredSection('CobroDeGuia', Cobro)),
};

/** Documents the body of a creation; `parseGuideRequest` validates it. */
export const GuidesBody = Type.Object(
  {
    TipoServicio: ServiceType,
    Guia: Type.Array(
      Type.Object(SENT_FIELDS, { title: 'Guia', description: 'Una guía', additionalProperties: false }),
      { minItems: 1, maxItems: MAX_GUIDES },
    ),
  },
  {
    title: 'SolicitudDeGuias',
    additionalProperties: false,
    description:
      'En los campos opcionales, null y "" significan ausente. Los textos se recortan. ' +
      'Cada guía requiere Destinatario.DestinoCode o Destinatario.CodigoPostal; se recomienda solo CodigoPostal. ' +
      'Un campo desconocido se rechaza, a cualquier profundidad.',
    'x-examples': GUIDE_EXAMPLES,
  },
);

export const CompleteGuide = Type.Object(
  {
    ...GuideSummary.properties,
    ...Type.Partial(PriceFields).properties,
    Ajuste: Type.Optional(Adjustment),
    TipoServicio: ServiceType,
    ...ANSWERED_FIELDS,
  },
  {
    title: 'GuiaCompleta',
    description:
      'Una guía con todos sus campos, como está guardada; si se creó con `Cotizacion`, o su cuenta cotiza al crear, con las líneas de su precio',
  },
);
