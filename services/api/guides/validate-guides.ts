import { inTurns } from '#shared/async/in-turns.ts';
import {
  DomainError,
  type ErrorCode,
  MAX_PROBLEMS_AT_ONCE,
  type Problem,
  type ProblemList,
} from '#shared/errors/domain-error.ts';
import type { SentGuide, ServiceType } from '#shared/guides/guide.ts';
import type { BranchesClient } from '../branches/branches-client.ts';
import type { Catalogue } from '../branches/postal-codes/catalogue.ts';
import type { Port } from '../platform/port.ts';
import { warnOfIncompleteAddresses, warnOfOtherPlaces, warnOfOtherStates } from './address-warnings.ts';
import type { CheckCollected } from './collecting.ts';
import { warnOfUnknownColonias } from './colonia-warnings.ts';
import {
  type CheckedRequest,
  checkGuideRequest,
  hasRightFields,
  isComparable,
  namesDestination,
  normalizeGuides,
  type SentRequest,
} from './guide-request.ts';
import type { FoundPrice, Pricing } from './pricing.ts';
import { findBranches, type GuideBranches } from './resolve-branches.ts';

export type ValidationDeps = {
  branches: BranchesClient;
  catalogue: Catalogue;
  pricing: Port<Pricing>;
  collecting: Port<CheckCollected>;
};

/** What a creation would make of the guides, each with its price if it has one. */
type Valid = GuideBranches & { prices: FoundPrice[]; warnings: ProblemList };

/** What warnings are about. A guide whose fields are wrong is undefined. */
type Warned = {
  service: ServiceType | undefined;
  guides: readonly (SentGuide | undefined)[];
  warnings: ProblemList;
};

/** A guide, and its place in the request. */
type Placed<G> = { indice: number; guide: G };

/**
 * Checks a request as `createGuides` does, without storing, counting or taking a key. It does not end at the first check
 * that fails: each later one looks at the guides that have what it needs, so that a client hears all at once.
 *
 * @throws DomainError as `createGuides` does for the first failed check (docs/contract.md "Guides"), with the problems of
 * all checks, and the warnings of the guides whose fields are right.
 */
export async function validateGuides(deps: ValidationDeps, request: SentRequest): Promise<Valid> {
  const checked = await checkGuideRequest(request.body, request.lenient, MAX_PROBLEMS_AT_ONCE);
  const { service, warnings } = checked;
  const guides = await inTurns(checked.guides, (guide) => (hasRightFields(guide) ? guide : undefined));
  await normalizeGuides({ guides, warnings });
  await warnOfAddresses(deps.catalogue, { service, guides, warnings });
  try {
    return { ...(await checkTogether(deps, request, checked, guides)), warnings };
  } catch (error) {
    throw error instanceof DomainError ? error.withWarnings(warnings) : error;
  }
}

/**
 * Checks what several fields or guides say together, and what is stored.
 *
 * @param right the guides whose fields are right, at their places in the request.
 */
async function checkTogether(
  deps: ValidationDeps,
  request: SentRequest,
  checked: CheckedRequest,
  right: readonly (SentGuide | undefined)[],
): Promise<Omit<Valid, 'warnings'>> {
  const { problems, service, warnings } = checked;
  const destined = await those(checked.guides, namesDestination);
  const sent = destined.map(({ guide }) => guide);
  const found = await findBranches(deps.branches, { service, guides: sent }, request).catch(
    (error: unknown) => {
      throw firstOf(problems, error);
    },
  );
  addAll(problems, found.problems, destined);
  if (!service) throw problems.toError('guides-invalid');

  const destinationAt = new Map(destined.map(({ indice }, i) => [indice, found.destinations[i]]));
  const places = right.map((_, indice) => destinationAt.get(indice));
  warnOfOtherPlaces(warnings, service, right, places);
  const reached = (await those(checked.guides, isComparable)).flatMap(({ indice, guide }) => {
    const destination = destinationAt.get(indice);
    return destination ? [{ indice, guide, destination }] : [];
  });
  const guides = reached.map(({ guide }) => guide);
  const destinations = reached.map(({ destination }) => destination);
  const ends = { origin: found.origin, destinations };
  const { user } = request;
  const { unquotedGuides = 'ignore' } = user.settings;
  let code: ErrorCode = 'guides-invalid';
  const refuse = (error: unknown): undefined => {
    if (!(error instanceof DomainError) || error.problems.length === 0) throw firstOf(problems, error);
    if (problems.total === 0) ({ code } = error);
    addAll(problems, error.problems, reached);
  };
  try {
    await deps.collecting.value({ user, guides, destinations });
  } catch (error) {
    refuse(error);
  }
  const prices = await deps.pricing.value
    .priceOf({ user, service, guides, unquotedGuides, ...ends })
    .catch(refuse);
  if (!prices) throw problems.toError(code);
  const rightOnes = reached.map(({ indice }) => right[indice]);
  addAll(warnings, deps.pricing.value.warningsOf(prices, rightOnes), reached);
  problems.throwIfAny(code);
  return { ...ends, prices };
}

/** Returns the guides that are so. */
async function those<G>(
  guides: readonly unknown[],
  isSo: (guide: unknown) => guide is G,
): Promise<Placed<G>[]> {
  const found: Placed<G>[] = [];
  await inTurns(guides, (guide, indice) => {
    if (isSo(guide)) found.push({ indice, guide });
  });
  return found;
}

/** A check that cannot be made is the answer only if those before it found nothing. */
function firstOf(problems: ProblemList, error: unknown): unknown {
  return problems.total > 0 ? problems.toError('guides-invalid') : error;
}

/** Adds the problems of some guides, which have their place among those, as the guides of the request. */
function addAll(problems: ProblemList, wrong: readonly Problem[], guides: readonly Placed<unknown>[]): void {
  for (const { indice: place = 0, ...problem } of wrong) {
    problems.add(() => ({ indice: guides[place]?.indice ?? 0, ...problem }));
  }
}

/** Adds warnings of addresses that look wrong. */
export async function warnOfAddresses(
  catalogue: Catalogue,
  { service, guides, warnings }: Warned,
): Promise<void> {
  warnOfOtherStates(warnings, guides);
  warnOfIncompleteAddresses(warnings, service, guides);
  await warnOfUnknownColonias(catalogue, warnings, guides);
}
