import { type TSchema, Type } from 'typebox';
import { FEED_EXAMPLE } from '../tracking/examples.ts';

/** What `services/webhooks` sends to an account's address, as the `webhooks` of the document. */

const HEADERS = {
  'webhook-id': 'El del mensaje: al repetirlo es el mismo',
  'webhook-timestamp': 'Cuándo se firmó, en segundos desde 1970',
  'webhook-signature': 'Firmas de Standard Webhooks: `v1,` y base64, separadas por espacios',
};

/**
 * Documents a message. It has no tag: openapi-generator 7.25 would write it over the operations of that tag.
 * @param title of its schema.
 */
export function message(
  operationId: string,
  summary: string,
  title: string,
  body: Record<string, TSchema>,
  example: object,
) {
  return {
    post: {
      operationId,
      summary,
      description:
        'Compruebe la firma antes de leer el cuerpo. Acepte también tipos y campos que no conoce: responda 2xx y no haga nada.',
      security: [],
      parameters: Object.entries(HEADERS).map(([name, description]) => ({
        ...{ name, in: 'header', required: true, description },
        schema: { type: 'string' },
      })),
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: Type.Object(body, { title }),
            examples: { ejemplo: { value: example } },
          },
        },
      },
      responses: {
        '204': { description: 'Recibido; sirve cualquier 2xx, en menos de 15 segundos' },
        '410': { description: 'No mande más: el webhook se apaga' },
      },
    },
  };
}

/** The schema of the feed, as its operation has it. */
const Evento = Type.Unsafe({ $ref: '#/components/schemas/EventoDeCuenta' });
const timestamp = Type.String({ description: 'Cuándo, en UTC', examples: [FEED_EXAMPLE.Registrado] });

export const MESSAGES = {
  'guias.eventos': message(
    'recibirEventos',
    'Eventos de las guías de la cuenta, en el orden en que se registraron',
    'MensajeDeEventos',
    {
      type: Type.Literal('guias.eventos'),
      timestamp,
      data: Type.Object(
        { Eventos: Type.Array(Evento, { minItems: 1, maxItems: 100 }) },
        { title: 'EventosDelMensaje' },
      ),
    },
    { type: 'guias.eventos', timestamp: FEED_EXAMPLE.Registrado, data: { Eventos: [FEED_EXAMPLE] } },
  ),
  prueba: message(
    'recibirPrueba',
    'Mensaje de prueba, sin eventos',
    'MensajeDePrueba',
    {
      type: Type.Literal('prueba'),
      timestamp,
      data: Type.Object({ Eventos: Type.Array(Evento, { maxItems: 0 }) }, { title: 'SinEventos' }),
    },
    { type: 'prueba', timestamp: FEED_EXAMPLE.Registrado, data: { Eventos: [] } },
  ),
};
