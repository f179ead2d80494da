import type { CodesOf } from '#shared/errors/domain-error.ts';
import { MAX_WEBHOOKS } from '#shared/webhooks/webhook-store.ts';
import type { ErrorTable } from '../http/errors.ts';

/** The errors of webhooks. */
export const webhookErrors = {
  'webhook-not-found': {
    status: 404,
    codigo: 'webhook_no_encontrado',
    message: 'Webhook no encontrado',
    advice: 'Revise el Id con `GET /api/webhooks`. Solo se ven los de su cuenta.',
  },
  'nothing-to-skip': {
    status: 409,
    codigo: 'nada_que_saltar',
    message: 'El webhook no tiene un mensaje fallido que saltar',
    advice: 'Solo se salta un mensaje que ya falló: mire `Intentos` en `GET /api/webhooks/{id}`.',
  },
  'too-many-webhooks': {
    status: 409,
    codigo: 'webhooks_excedidos',
    message: `Maximo ${MAX_WEBHOOKS} webhooks por cuenta`,
    advice: 'Elimine uno que ya no use, con `DELETE /api/webhooks/{id}`.',
  },
} as const satisfies ErrorTable;

declare module '#shared/errors/domain-error.ts' {
  interface ErrorCodes extends CodesOf<typeof webhookErrors> {}
}
