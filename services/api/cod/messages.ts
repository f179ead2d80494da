import { Type } from 'typebox';
import { message } from '../webhooks/messages.ts';
import { TOPIC } from './publish-news.ts';
import { REMITTANCE_EXAMPLE } from './schemas.ts';

/** The schema of the list, as its operation has it. */
const Liquidacion = Type.Unsafe({ $ref: '#/components/schemas/Liquidacion' });
const WHEN = '2026-12-01T16:00:00.120Z';

/** What webhooks get that ask for remittances with `Temas`. */
export const COD_MESSAGES = {
  [TOPIC]: message(
    'recibirLiquidaciones',
    'Una liquidación de la cuenta que se hizo o se anuló; solo a webhooks con `liquidaciones` entre sus `Temas`',
    'MensajeDeLiquidaciones',
    {
      type: Type.Literal(TOPIC),
      timestamp: Type.String({ description: 'Cuándo, en UTC', examples: [WHEN] }),
      data: Type.Object(
        { Liquidaciones: Type.Array(Liquidacion, { minItems: 1, maxItems: 1 }) },
        { title: 'LiquidacionesDelMensaje' },
      ),
    },
    { type: TOPIC, timestamp: WHEN, data: { Liquidaciones: [REMITTANCE_EXAMPLE] } },
  ),
};
