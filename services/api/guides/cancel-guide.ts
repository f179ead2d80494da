import type { ApiUser } from '#shared/auth/user-store.ts';
import { findOwnGuide } from './find-guide.ts';
import type { GuideRecord, GuideStore } from './guide-store.ts';

/**
 * Cancels a guide of the user's account; of one that is cancelled already the first cancellation stays, also where both come
 * at once. What the guide took from the day's quota stays taken (docs/contract.md "Guides").
 *
 * @returns the guide as it is now, and whether this call cancelled it.
 * @throws DomainError `guide-not-found`.
 */
export async function cancelGuide(
  guides: GuideStore,
  number: string,
  user: ApiUser,
): Promise<{ guide: GuideRecord; cancelled: boolean }> {
  const guide = await findOwnGuide(guides, number, user);
  const cancelled = await guides.cancel(guide, { by: user.username, at: new Date() });
  return { guide: { ...guide, status: 'Cancelado' }, cancelled };
}
