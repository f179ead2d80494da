import type { ApiUser, Permission } from '#shared/auth/user-store.ts';
import { DomainError, ProblemList } from '#shared/errors/domain-error.ts';
import type { EventRegister } from './events/event-register.ts';
import type { GuideRecord } from './guide-model.ts';
import { isGuideNumber } from './guide-number.ts';
import type { GuideStore } from './guide-store.ts';

/**
 * Returns the guide with this number, where the user may see it: a user of its account, or one with
 * `guias.read.all`.
 *
 * @param permission another one with which a user sees it.
 * @throws DomainError `guide-not-found` also for another's guide and for a number of wrong form, so that an answer
 * never tells whether a guide exists (docs/contract.md "Guides").
 */
export async function findGuide(
  guides: GuideStore,
  number: string,
  user: ApiUser,
  permission?: Permission,
): Promise<GuideRecord> {
  const guide = await lookUp(guides, number, user, permission);
  if (!guide) throw new DomainError('guide-not-found');
  return guide;
}

/** Returns the guides with these numbers, in their order. @throws as `findGuide`, with each that is missing by its place. */
export async function findGuides(
  guides: GuideStore,
  numbers: readonly string[],
  user: ApiUser,
): Promise<GuideRecord[]> {
  const found = await Promise.all(numbers.map((number) => lookUp(guides, number, user)));
  refuseEach('guide-not-found', found, (guide) => !guide);
  return found as GuideRecord[];
}

/**
 * Cancels a guide of the user's account; of one that is cancelled already the first cancellation stays, also where both come
 * at once. What the guide took from the day's quota stays taken (docs/contract.md "Guides").
 *
 * @returns the guide as it is now, and whether this call cancelled it.
 * @throws DomainError `guide-not-found` as `findGuide`: `guias.read.all` allows to read alone; `guide-on-its-way` of one that
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

/** @throws DomainError `guide-cancelled`, with each guide that is cancelled by its place. */
export function requireUncancelled(guides: readonly GuideRecord[]): void {
  refuseEach('guide-cancelled', guides, ({ status }) => status === 'Cancelado');
}

function refuseEach<T>(
  code: 'guide-not-found' | 'guide-cancelled',
  guides: readonly T[],
  isRefused: (guide: T) => boolean,
): void {
  const refused = new ProblemList();
  for (const [indice, guide] of guides.entries()) {
    if (isRefused(guide)) refused.add(() => ({ indice, code }));
  }
  refused.throwIfAny(code);
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
