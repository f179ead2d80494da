import type { ApiUser } from '#shared/auth/user-store.ts';
import { DomainError } from '#shared/errors.ts';
import { isGuideNumber } from './guide-number.ts';
import type { GuideRecord, GuideStore } from './guide-store.ts';

/**
 * Returns the guide with this number, where the user may see it: a user of its account, or one with
 * `guias.read.all`.
 *
 * @throws DomainError `guide-not-found` also for another's guide and for a number of wrong form, so that an answer
 * never tells whether a guide exists (docs/contract.md "Guides").
 */
export async function findGuide(guides: GuideStore, number: string, user: ApiUser): Promise<GuideRecord> {
  const account = user.permissions.includes('guias.read.all') ? undefined : user.account;
  const guide = isGuideNumber(number) ? await guides.find(number, account) : undefined;
  if (!guide) throw new DomainError('guide-not-found');
  return guide;
}
