import type { Logger } from '#shared/observability/logger.ts';
import { isServerAway } from '#shared/stores/transient-errors.ts';
import type { GuideStore } from '../guides/guide-store.ts';
import type { EventRegister } from '../tracking/event-register.ts';
import type { ReturnStore } from './return-store.ts';

type Deps = { returns: ReturnStore; guides: GuideStore; events: EventRegister };

/** Returns of one look. */
const AT_A_TIME = 100;

/**
 * Cancels the returns that nobody has scanned in their days, in the name of who made them. Each step may be repeated, and one that
 * fails keeps none behind it from its turn.
 */
export async function cancelUnscanned(deps: Deps, log: Pick<Logger, 'info' | 'warn'>): Promise<void> {
  for (const { _id, username } of await deps.returns.due(AT_A_TIME)) {
    try {
      if (await cancel(deps, _id, username))
        log.info({ guide: _id }, 'A return that nobody has scanned was cancelled');
      await deps.returns.reviewed(_id);
    } catch (err) {
      if (isServerAway(err)) throw err;
      log.warn({ err, guide: _id }, 'A return that nobody has scanned waits for the next look');
    }
  }
}

/** Returns whether it has cancelled a return: not one that was scanned, or cancelled before. */
async function cancel({ guides, events }: Deps, number: string, username: string): Promise<boolean> {
  const guide = await guides.find(number);
  if (!guide || guide.status === 'Cancelado' || guide.events) return false;
  const Ocurrido = (await events.now()).toISOString();
  // The same id as that of a customer's cancellation: of both, one is registered.
  const told = { Guia: number, Id: `cancelacion:${number}`, Tipo: 'Cancelacion', Ocurrido } as const;
  return (await events.add(guide.account, told, username)) === 'registered';
}
