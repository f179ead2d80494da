import { branchCode } from '#shared/branches/branch.ts';
import type { GuideStatus } from '#shared/guides/event-types.ts';
import { tidy } from '../http/body.ts';
import {
  encodeCursor,
  type ListParameters,
  periodOf,
  positionOf,
  USUAL_PAGE,
} from '../http/list-parameters.ts';
import type { GuideList, ListedGuide } from './guide-list.ts';

/** A client's parameters, by their names on the wire. */
export type ListRequest = ListParameters & {
  referencia?: string;
  estatus?: GuideStatus;
  destino?: string;
};

/**
 * Returns a page of the account's guides, newest first, and the cursor of the next one; null after the last.
 * `searchedUntil`: up to which local time the search for them came, if its time was over before the page was full.
 *
 * @throws DomainError `parameter-invalid`, with the parameter.
 */
export async function listGuides(
  list: GuideList,
  account: string,
  request: ListRequest,
): Promise<{ guides: ListedGuide[]; cursor: string | null; searchedUntil?: string }> {
  const { referencia, estatus, destino, limite = USUAL_PAGE } = request;
  const filter = {
    account,
    ...periodOf(request),
    reference: referencia && tidy(referencia),
    status: estatus,
    destination: destino && branchCode(destino),
  };
  const { guides, next, isCut } = await list.page(filter, positionOf(request), limite);
  return {
    guides,
    cursor: next ? encodeCursor(next) : null,
    ...(isCut && next && { searchedUntil: next.createdAt }),
  };
}
