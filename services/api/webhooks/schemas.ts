import { Type } from 'typebox';
import { MAX_ATTEMPTS } from '#shared/webhooks/webhook-store.ts';
import { FeedEvent } from '../tracking/schemas.ts';
import { MAX_PENDING } from './webhooks.ts';

/** Webhooks as answers show them (docs/contract.md "Webhooks"), with examples. */

export const IDENTITY = {
  Id: Type.String(),
  Url: Type.String(),
  Descripcion: Type.String(),
  Activo: Type.Boolean({
    description: 'Falso cuando se apagó: tras 410, tras cinco días sin éxito, o por su cuenta',
  }),
  Tipos: Type.Optional(
    Type.Array(Type.String(), { description: 'Los tipos de eventos que recibe; vacío, todos' }),
  ),
  Temas: Type.Optional(
    Type.Array(Type.String(), { description: 'De qué recibe mensajes: `eventos` de guías, y otros' }),
  ),
};
export const SECRET_EXAMPLE = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
export const SECRET = Type.String({
  description: 'Clave de la firma, como la define Standard Webhooks. Se muestra esta única vez',
  examples: [SECRET_EXAMPLE],
});
const MOMENT = Type.Union([Type.String({ format: 'date-time' }), Type.Null()]);
/** How a message went. */
export const OUTCOME = {
  Tomado: Type.Boolean(),
  Ms: Type.Integer({ description: 'Cuánto tardó, en milisegundos' }),
  Estatus: Type.Optional(Type.Integer({ description: 'El de HTTP, si respondió' })),
  Motivo: Type.Optional(Type.String({ description: 'Por qué no se tomó' })),
};
const STATE = {
  ...IDENTITY,
  UrlPuestaPor: Type.Optional(
    Type.Union(
      [
        Type.Object(
          {
            Usuario: Type.String(),
            Llave: Type.Union([Type.String(), Type.Null()], {
              description: 'El `Inicio` de la llave con que lo hizo; `null` si entró con un token',
            }),
          },
          { title: 'AutorDeUrl' },
        ),
        Type.Null(),
      ],
      { description: 'Quién puso `Url`, al registrar o al cambiarla; `null` si no se sabe' },
    ),
  ),
  Pendientes: Type.Integer({
    maximum: MAX_PENDING,
    description: `Eventos sin tomar, hasta ${MAX_PENDING}; también los que \`Tipos\` deja fuera y aún no se revisan`,
  }),
  UltimoExito: MOMENT,
  UltimoFallo: Type.Union([
    Type.Object({ Ocurrido: Type.String(), Motivo: Type.String() }, { title: 'FalloDeWebhook' }),
    Type.Null(),
  ]),
  ProximoIntento: MOMENT,
};
export const WebhookAnswer = Type.Object(STATE, {
  title: 'Webhook',
  description: 'Un webhook de la cuenta, y cómo va',
});
export const WebhookDetail = Type.Object(
  {
    ...STATE,
    Intentos: Type.Array(
      Type.Object({ Ocurrido: Type.String(), ...OUTCOME }, { title: 'IntentoDeWebhook' }),
      { maxItems: MAX_ATTEMPTS, description: `Los últimos ${MAX_ATTEMPTS}, el más nuevo primero` },
    ),
  },
  { title: 'WebhookConIntentos', description: 'Un webhook de la cuenta, con sus últimos intentos' },
);
export const ActivatedWebhook = Type.Object(
  {
    ...STATE,
    Saltados: Type.Optional(
      Type.Array(FeedEvent, { description: 'Con `saltar`: los eventos que no llegarán' }),
    ),
    MensajeSaltado: Type.Optional(
      Type.Object(
        {
          type: Type.String(),
          timestamp: Type.String(),
          data: Type.Object({}, { title: 'DatosDelMensajeSaltado', additionalProperties: true }),
        },
        {
          title: 'MensajeSaltado',
          description: 'Con `saltar`, si falló un mensaje de otro tema que `eventos`: ese, que no llegará',
        },
      ),
    ),
  },
  { title: 'WebhookActivado', description: 'Un webhook de la cuenta, otra vez encendido' },
);
export const IDENTITY_EXAMPLE = {
  Id: '0b0f8a4e-2f2c-4a56-9d55-2d1f0b8e1f0c',
  Url: 'https://tienda.example/guias',
  Descripcion: 'Tienda',
  Activo: true,
  Tipos: [],
  Temas: ['eventos'],
};
export const WEBHOOK_EXAMPLE = {
  ...IDENTITY_EXAMPLE,
  UrlPuestaPor: { Usuario: 'tienda', Llave: 'gk_live_Xy3k' },
  Pendientes: 3,
  UltimoExito: '2026-11-22T19:05:09.120Z',
  UltimoFallo: { Ocurrido: '2026-11-22T19:10:09.120Z', Motivo: 'Respondio 500' },
  ProximoIntento: '2026-11-22T19:10:14.300Z',
};
export const ATTEMPT_EXAMPLE = {
  Ocurrido: '2026-11-22T19:10:09.120Z',
  Tomado: false,
  Ms: 212,
  Estatus: 500,
  Motivo: 'Respondio 500',
};
