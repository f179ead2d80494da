import type { BranchesClient } from '../branches/branches-client.ts';
import type { CreationRequest } from './create-guides.ts';
import { parseGuideRequest } from './request/guide-request.ts';
import { type GuideBranches, resolveBranches } from './request/resolve-branches.ts';

/**
 * Checks a creation request as `createGuides` does, and does nothing else: no guide is stored or counted, no key is taken.
 *
 * @returns where its guides would start and end.
 * @throws DomainError of the first check that fails (docs/contract.md "Guides").
 */
export async function validateGuides(
  branches: BranchesClient,
  request: Pick<CreationRequest, 'body' | 'lenient' | 'user' | 'requestId' | 'onWarnings'>,
): Promise<GuideBranches> {
  const { guides, warnings } = parseGuideRequest(request.body, request.lenient);
  request.onWarnings(warnings);
  return resolveBranches(branches, guides, request);
}
