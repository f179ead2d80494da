import { Type } from 'typebox';
import { message } from '../webhooks/messages.ts';
import { TOPIC } from './publish-news.ts';
import { PICKUP_EXAMPLE } from './schemas.ts';

/** The schema of the list, as its operation has it. */
const Recoleccion = Type.Unsafe({ $ref: '#/components/schemas/Recoleccion' });
const EXAMPLE = { ...PICKUP_EXAMPLE, Estado: 'Recolectada', Version: 3 } as const;
const WHEN = '2026-12-01T17:20:04.120Z';

/** What webhooks get that ask for pick-ups with `Temas`. */
export const PICKUP_MESSAGES = {
  [TOPIC]: message(
    'recibirRecolecciones',
    'Una recolección de la cuenta que cambió; solo a webhooks con `recolecciones` entre sus `Temas`',
    'MensajeDeRecolecciones',
    {
      type: Type.Literal(TOPIC),
      timestamp: Type.String({ description: 'Cuándo, en UTC', examples: [WHEN] }),
      data: Type.Object(
        { Recolecciones: Type.Array(Recoleccion, { minItems: 1, maxItems: 1 }) },
        { title: 'RecoleccionesDelMensaje' },
      ),
    },
    { type: TOPIC, timestamp: WHEN, data: { Recolecciones: [EXAMPLE] } },
  ),
};
