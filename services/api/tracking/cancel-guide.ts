import type { ApiUser } from '#shared/accounts/user-store.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import { findGuide } from '../guides/guide-access.ts';
import type { GuideStore } from '../guides/guide-store.ts';
import type { EventRegister } from './event-register.ts';

/**
 * Cancels a guide of the user's account; the first cancellation holds, even of concurrent ones. The day's guides stay
 * counted (docs/contract.md "Guides").
 *
 * @returns the guide now, and whether this call cancelled it.
 * @throws DomainError `guide-not-found` as `findGuide`, but `guias.read.all` is not enough; `guide-on-its-way` if it
 * has events; `events-unknown`.
 */
export async function cancelGuide(
  guides: GuideStore,
  events: EventRegister,
  number: string,
  user: ApiUser,
): Promise<{ guide: GuideDocument; cancelled: boolean }> {
  const guide = await findGuide(guides, number, { ...user, permissions: [] });
  const Ocurrido = (await events.now()).toISOString();
  // No client can send an Id with a colon.
  const told = { Guia: number, Id: `cancelacion:${number}`, Tipo: 'Cancelacion', Ocurrido } as const;
  const verdict = await events.add(user.account, told, user.username);
  if (typeof verdict !== 'string') throw new DomainError(verdict.code);
  return { guide: { ...guide, status: 'Cancelado' }, cancelled: verdict === 'registered' };
}
