import { DomainError, type ProblemList } from '#shared/errors/domain-error.ts';
import type { GuidePrice } from '#shared/guides/guide-price.ts';
import type { BranchesClient } from '../branches/branches-client.ts';
import type { Catalogue } from '../branches/postal-codes/catalogue.ts';
import { warnOfIncompleteAddresses, warnOfOtherStates } from './address-warnings.ts';
import { warnOfUnknownColonias } from './colonia-warnings.ts';
import {
  type CheckedRequest,
  checkGuideRequest,
  type GuideRequest,
  hasDestination,
  type SentRequest,
} from './guide-request.ts';
import type { Pricing } from './pricing.ts';
import { findBranches, type GuideBranches } from './resolve-branches.ts';

export type ValidationDeps = { branches: BranchesClient; catalogue: Catalogue; pricing: Pricing };

/** Most problems that an answer of a validation names: a file of orders is put right in one round. */
export const MAX_VALIDATION_PROBLEMS = 500;

/** What a creation would make of the guides, each with its price if it has one. */
type Valid = GuideBranches & { prices: (GuidePrice | undefined)[]; warnings: ProblemList };

/**
 * Checks a request as `createGuides` does, without storing, counting or taking a key. Each later check looks at the guides
 * for which those before it found nothing wrong, so that a client hears all at once.
 *
 * @throws DomainError of the first failed check (docs/contract.md "Guides"), with the problems of all.
 */
export async function validateGuides(deps: ValidationDeps, request: SentRequest): Promise<Valid> {
  const checked = await checkGuideRequest(request.body, request.lenient, MAX_VALIDATION_PROBLEMS);
  const { problems, isRight, guides, warnings } = checked;
  if (problems.total === 0) await warnOfAddresses(deps.catalogue, checked);
  const destined = [...guides.entries()].filter(([, guide]) => hasDestination(guide));
  const found = await findBranches(
    deps.branches,
    destined.map(([, guide]) => guide),
    request,
  ).catch((error: unknown) => {
    if (problems.total === 0) throw error;
    return undefined; // the fields are the first that is wrong
  });
  if (!found) return refuse(problems);
  for (const problem of found.problems) {
    problems.add(() => ({ ...problem, indice: destined[problem.indice ?? 0]?.[0] ?? 0 }));
  }
  const resolved = destined.flatMap(([indice, guide], i) => {
    const destination = found.destinations[i];
    return destination && isRight[indice] ? [{ indice, guide, destination }] : [];
  });
  const destinations = resolved.map(({ destination }) => destination);
  const pricing = deps.pricing.priceOf({
    ...{ account: request.user.account, service: checked.service, origin: found.origin, destinations },
    guides: resolved.map(({ guide }) => guide),
  });
  const prices = await pricing.catch((error: unknown) => {
    if (!(error instanceof DomainError) || error.problems.length === 0) throw error;
    const own = error.problems.map((problem) => ({
      ...problem,
      indice: resolved[problem.indice ?? 0]?.indice ?? 0,
    }));
    if (problems.total === 0) {
      throw new DomainError(error.code, {
        params: error.params,
        problems: own,
        most: MAX_VALIDATION_PROBLEMS,
      });
    }
    for (const problem of own) problems.add(() => problem);
    return [];
  });
  if (problems.total > 0) return refuse(problems);
  return { origin: found.origin, destinations, prices, warnings };
}

function refuse(problems: ProblemList): never {
  problems.throwIfAny('guides-invalid');
  throw new Error('A request without problems was refused');
}

/** Adds warnings of addresses that look wrong. */
export async function warnOfAddresses(
  catalogue: Catalogue,
  { service, guides, warnings }: Pick<GuideRequest | CheckedRequest, 'service' | 'guides' | 'warnings'>,
): Promise<void> {
  warnOfOtherStates(warnings, guides);
  warnOfIncompleteAddresses(warnings, service, guides);
  await warnOfUnknownColonias(catalogue, warnings, guides);
}
