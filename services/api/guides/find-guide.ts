import type { ApiUser } from '#shared/auth/user-store.ts';
import { DomainError } from '#shared/errors.ts';
import { isGuideNumber } from './guide-number.ts';
import type { GuideRecord, GuideStore } from './guide-store.ts';
import { ProblemList } from './request/problem-list.ts';

/**
 * Returns the guide with this number, where the user may see it: a user of its account, or one with
 * `guias.read.all`.
 *
 * @throws DomainError `guide-not-found` also for another's guide and for a number of wrong form, so that an answer
 * never tells whether a guide exists (docs/contract.md "Guides").
 */
export async function findGuide(guides: GuideStore, number: string, user: ApiUser): Promise<GuideRecord> {
  const guide = await lookUp(guides, number, user);
  if (!guide) throw new DomainError('guide-not-found');
  return guide;
}

/**
 * Returns the guides with these numbers, in their order.
 *
 * @throws DomainError `guide-not-found` as `findGuide`, with each that is missing by its place.
 */
export async function findGuides(
  guides: GuideStore,
  numbers: readonly string[],
  user: ApiUser,
): Promise<GuideRecord[]> {
  const found = await Promise.all(numbers.map((number) => lookUp(guides, number, user)));
  const missing = new ProblemList();
  for (const [indice, guide] of found.entries()) {
    if (!guide) missing.add(() => ({ indice, code: 'guide-not-found' }));
  }
  if (missing.total > 0)
    throw new DomainError('guide-not-found', { problems: missing.first, problemsTotal: missing.total });
  return found as GuideRecord[];
}

async function lookUp(guides: GuideStore, number: string, user: ApiUser): Promise<GuideRecord | undefined> {
  const account = user.permissions.includes('guias.read.all') ? undefined : user.account;
  return isGuideNumber(number) ? guides.find(number, account) : undefined;
}
