import type { ApiUser, Permission } from '#shared/auth/user-store.ts';
import { DomainError, type ErrorCode, type Problem, ProblemList } from '#shared/errors/domain-error.ts';
import { fieldError } from '../requests/body.ts';
import { GUIDE_RULE } from '../requests/parameter-rules.ts';
import type { EventRegister } from './events/event-register.ts';
import type { GuideRecord } from './guide-model.ts';
import { isGuideNumber } from './guide-number.ts';
import type { GuideStore } from './guide-store.ts';

/**
 * Returns a guide of the user's account, or any guide with `guias.read.all`.
 *
 * @param permission another one that shows the guide.
 * @throws DomainError `guide-not-found`, also for a hidden guide or an invalid number, so that nobody learns whether
 * a guide exists (docs/contract.md "Guides").
 */
export async function findGuide(
  guides: GuideStore,
  number: string,
  user: ApiUser,
  permission?: Permission,
): Promise<GuideRecord> {
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
): Promise<GuideRecord[]> {
  const found = await Promise.all(numbers.map((number) => lookUp(guides, number, user)));
  refuseEach('guide-not-found', found, (guide) => (guide ? undefined : { code: 'guide-not-found' }));
  return found as GuideRecord[];
}

/**
 * Cancels a guide of the user's account; the first cancellation holds, even of concurrent ones. The day's quota stays
 * taken (docs/contract.md "Guides").
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
): Promise<{ guide: GuideRecord; cancelled: boolean }> {
  const guide = await findGuide(guides, number, { ...user, permissions: [] });
  const Ocurrido = new Date().toISOString();
  // No client can send an Id with a colon.
  const told = { Guia: number, Id: `cancelacion:${number}`, Tipo: 'Cancelacion', Ocurrido } as const;
  const verdict = await events.add(user.account, told, user.username);
  if (typeof verdict !== 'string') throw new DomainError(verdict.code);
  return { guide: { ...guide, status: 'Cancelado' }, cancelled: verdict === 'registered' };
}

/** @throws DomainError `guide-cancelled`, with the index of each cancelled guide. */
export function requireUncancelled(guides: readonly GuideRecord[]): void {
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
): Promise<GuideRecord | undefined> {
  const seesAll = permissions.some((each) => each === 'guias.read.all' || each === permission);
  const account = seesAll ? undefined : own;
  return isGuideNumber(number) ? guides.find(number, account) : undefined;
}
