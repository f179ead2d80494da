import { DomainError } from '#shared/errors/domain-error.ts';
import type { SentGuide } from '#shared/guides/guide.ts';
import type { Caller } from '../accounts/account-limits.ts';
import type { GuideDestination } from './resolve-branches.ts';

/** Guides that are to be created, each with its destination. */
export type CollectingRequest = {
  user: Caller;
  guides: readonly SentGuide[];
  destinations: readonly GuideDestination[];
};

/**
 * Checks what guides have collected on delivery. A room that collects takes the place of `NOTHING_COLLECTED`.
 *
 * @throws DomainError with the problems of all guides.
 */
export type CheckCollected = (request: CollectingRequest) => void | Promise<void>;

/** Nobody collects without such a room. */
export const NOTHING_COLLECTED: CheckCollected = ({ guides }) => {
  const problems = guides.flatMap(({ Cobro }, indice) =>
    Cobro ? [{ indice, campo: 'Cobro', code: 'field-unknown' } as const] : [],
  );
  if (problems.length > 0) throw new DomainError('guides-invalid', { problems });
};
