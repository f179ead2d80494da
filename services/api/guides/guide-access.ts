import type { ApiUser } from '#shared/accounts/user-store.ts';
import { DomainError, type ErrorCode, type Problem, ProblemList } from '#shared/errors/domain-error.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import type { Permission } from '#shared/rooms.ts';
import { fieldError } from '../http/body.ts';
import { GUIDE_RULE } from '../http/parameter-rules.ts';
import { isGuideNumber } from './guide-number.ts';
import type { GuideStore } from './guide-store.ts';

/**
 * Returns a guide of the user's account, or any guide with `guias.read.all`.
 *
 * @param permission another one that shows the guide.
 * @throws DomainError `guide-not-found`, also for a hidden guide or an invalid number, so that nobody learns whether
 * a guide exists (docs/contract.md "Accounts").
 */
export async function findGuide(
  guides: GuideStore,
  number: string,
  user: ApiUser,
  permission?: Permission,
): Promise<GuideDocument> {
  const guide = await lookUp(guides, number, user, permission);
  if (guide) return guide;
  if (isGuideNumber(number)) throw new DomainError('guide-not-found');
  throw fieldError('guia', 'guide-not-found', { rule: GUIDE_RULE });
}

/** Returns these guides in this order. @throws as `findGuide`, with the index of each missing guide. */
export async function findGuides(
  guides: GuideStore,
  numbers: readonly string[],
  user: ApiUser,
): Promise<GuideDocument[]> {
  const found = await Promise.all(numbers.map((number) => lookUp(guides, number, user)));
  refuseEach('guide-not-found', found, (guide) => (guide ? undefined : { code: 'guide-not-found' }));
  return found as GuideDocument[];
}

/** @throws DomainError `guide-cancelled`, with the index of each cancelled guide. */
export function requireUncancelled(guides: readonly GuideDocument[]): void {
  const cancelled = { code: 'guide-cancelled' } as const;
  refuseEach('guide-cancelled', guides, ({ status }) => (status === 'Cancelado' ? cancelled : undefined));
}

/** @throws DomainError `code`, with the index of each guide that has a problem. */
export function refuseEach<T>(
  code: ErrorCode,
  guides: readonly T[],
  problemOf: (guide: T) => Problem | undefined,
): void {
  const problems = new ProblemList();
  for (const [indice, guide] of guides.entries()) {
    const problem = problemOf(guide);
    if (problem) problems.add(() => ({ indice, ...problem }));
  }
  problems.throwIfAny(code);
}

async function lookUp(
  guides: GuideStore,
  number: string,
  { permissions, account: own }: ApiUser,
  permission?: Permission,
): Promise<GuideDocument | undefined> {
  const seesAll = permissions.some((each) => each === 'guias.read.all' || each === permission);
  const account = seesAll ? undefined : own;
  return isGuideNumber(number) ? guides.find(number, account) : undefined;
}
