import type { WriteMoment } from '#shared/pages/format.ts';
import type { WebhookHealth } from '#shared/webhooks/webhook-health.ts';

const STATES = { falla: ['Falla', 'mal'], apagado: ['Apagado', 'atencion'] } as const;

export function healthView(health: WebhookHealth, write: WriteMoment) {
  const { account, id, host, isTest, state, since, waitingSince, nextTry, reason, pending, types } = health;
  const [word, look] = state === 'activo' ? [pending > 0 ? 'Tiene pendientes' : 'Al día', ''] : STATES[state];
  const writeIf = (moment: Date | undefined) => (moment ? write(moment) : null);
  return {
    ...{ account, id, host, isTest, word, look, pending },
    since: writeIf(since),
    /** When the oldest event that it waits for was registered. */
    behindSince: writeIf(waitingSince),
    nextTry: writeIf(nextTry),
    reason: reason ?? null,
    types: types?.join(', ') ?? null,
  };
}
