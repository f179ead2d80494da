import { type Static, type TSchema, Type } from 'typebox';
import { Branch } from '#shared/contracts/branch.ts';
import { MAX_GUIDES, SentGuide, ServiceType } from '#shared/contracts/guide.ts';
import { MAX_PROBLEMS } from '#shared/errors.ts';
import { type ApiErrorCode, codigosOf, httpErrors } from '../errors.ts';

/**
 * The schemas that OpenAPI shows by name. Those of requests are the ones that validate; those of answers are the ones
 * that Fastify writes answers with, so that nothing leaves that is not documented.
 */

/** Every code that an error may have. */
const Codigo = Type.Enum(
  [...new Set((Object.keys(httpErrors) as ApiErrorCode[]).flatMap(codigosOf))].sort(),
  { description: 'Código estable, para programas: el texto de message puede pulirse, el código no' },
);

const Problem = Type.Object({
  indice: Type.Optional(Type.Integer({ description: "Posición en 'Guia', desde 0" })),
  campo: Type.Optional(Type.String({ description: 'Ruta del campo, con puntos, o nombre del parámetro' })),
  codigo: Codigo,
  message: Type.String(),
});

const GuideRequest = Type.Object(
  {
    TipoServicio: ServiceType,
    Guia: Type.Array(Type.Ref('Guia'), { minItems: 1, maxItems: MAX_GUIDES }),
  },
  {
    additionalProperties: false,
    description:
      'En los campos opcionales, null y "" significan ausente. Los textos se recortan. ' +
      'Cada guía requiere Destinatario.DestinoCode o Destinatario.CodigoPostal; se recomienda solo CodigoPostal.',
  },
);

export const CreatedGuide = Type.Object({
  SEND_GUIA: Type.String({ description: 'Número de guía', examples: ['390458235877'] }),
  SEND_SUCU_ORIG: Type.String({ description: 'Sucursal de origen', examples: ['MEX01'] }),
  SEND_SUCU_DEST: Type.String({ description: 'Sucursal de destino', examples: ['MTY01'] }),
  SEND_ESTATUS: Type.String({ examples: ['Documentado'] }),
  SEND_FECHA: Type.String({
    description: 'Fecha y hora local, ISO 8601 sin zona',
    examples: ['2026-11-21T05:05:10'],
  }),
  SEND_REMITENTE: Type.String({ examples: ['Ana López'] }),
  SEND_DESTINATARIO: Type.String({ examples: ['Luis Pérez'] }),
  SEND_FLETE: Type.Number({ description: 'MXN; 0 al crear', examples: [0] }),
  SEND_TOTAL: Type.Number({ description: 'MXN; 0 al crear', examples: [0] }),
  Referencia: Type.Optional(
    Type.String({
      description: 'La del cliente; falta donde la guía no la tiene',
      examples: ['PEDIDO-1042'],
    }),
  ),
});

const ErrorAnswer = Type.Object(
  {
    response: Type.Literal('ERROR'),
    message: Type.String({ description: 'El primer problema, con el texto de la especificación' }),
    codigo: Codigo,
    details: Type.Optional(
      Type.Array(Type.Ref('Problema'), {
        maxItems: MAX_PROBLEMS,
        description: `Los problemas, hasta ${MAX_PROBLEMS}`,
      }),
    ),
    detailsTotal: Type.Optional(
      Type.Integer({ description: `Cuántos problemas hay, donde son más de ${MAX_PROBLEMS}` }),
    ),
    requestId: Type.String({ description: 'El mismo que X-Request-Id' }),
  },
  { description: 'Todo error tiene esta forma' },
);

const named = <S extends TSchema>(name: string, schema: S): S => ({ ...schema, $id: name });
export const namedSchemas = [
  named('Problema', Problem),
  named('Error', ErrorAnswer),
  named('Guia', SentGuide),
  named('SolicitudDeGuias', GuideRequest),
  named('GuiaCreada', CreatedGuide),
  named('Sucursal', Branch),
];

/** References to named schemas, with the types of what they describe. */
export const BranchRef = Type.Unsafe<Branch>(Type.Ref('Sucursal'));
export const CreatedGuideRef = Type.Unsafe<Static<typeof CreatedGuide>>(Type.Ref('GuiaCreada'));

export const BRANCH_EXAMPLE: Branch = {
  Codigo: 'MEX01',
  Nombre: 'Ciudad de México Juárez',
  Estado: 'Ciudad de México',
  Municipio: 'Cuauhtémoc',
  Colonia: 'Juárez',
  Calle: 'Av. Paseo de la Reforma',
  Numero: '250',
  CodigoPostal: '06600',
  Telefono: '5550000101',
  Origen: true,
  Destino: true,
  Activa: true,
};
