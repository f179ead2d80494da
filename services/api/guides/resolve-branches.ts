import { type Branch, branchCode, type DestinationQuery } from '#shared/branches/branch.ts';
import { DomainError, type Problem } from '#shared/errors/domain-error.ts';
import type { ServiceType } from '#shared/guides/guide.ts';
import type { Caller } from '../accounts/account-limits.ts';
import type { BranchesCaller, BranchesClient } from '../branches/branches-client.ts';
import type { Shipment } from './guide-request.ts';

/** Where a guide goes. */
export type GuideDestination = {
  branch: Branch;
  /**
   * The postal code at which a home delivery is delivered: the recipient's, or the branch's own if there is none or if
   * the branch does not cover that.
   */
  homePostalCode: string;
  /**
   * The route of a home delivery's postal code, if the branch covers that. A parcel that waits at its branch has none: it
   * must not be put on a tour.
   */
  route?: string | undefined;
};
export type GuideBranches = { origin: Branch; destinations: GuideDestination[] };

type Asking = { user: Caller } & Omit<BranchesCaller, 'account'>;
type BranchRequest = {
  /** Undefined if home deliveries are asked for among others. */
  service: ServiceType | undefined;
  guides: readonly Pick<Shipment, 'Destinatario'>[];
};

/**
 * Returns origin and destinations of a request's guides; the origin is the user's branch, for the canary the first destination.
 *
 * @throws DomainError `origin-unassigned`, `origin-inactive`, or `guides-invalid` with the unknown destinations.
 */
export async function resolveBranches(
  branches: BranchesClient,
  request: BranchRequest,
  asking: Asking,
): Promise<GuideBranches> {
  const { problems, origin, destinations } = await findBranches(branches, request, asking);
  if (problems.length > 0) throw new DomainError('guides-invalid', { problems });
  return { origin, destinations: destinations as GuideDestination[] };
}

/**
 * Returns origin and destinations, undefined for an unknown one, which has a problem.
 *
 * @throws DomainError `origin-unassigned`, `origin-inactive`.
 */
export async function findBranches(
  branches: BranchesClient,
  { service, guides }: BranchRequest,
  { user: { originBranch, account, canaryOf }, requestId, signal }: Asking,
): Promise<{ origin: Branch; destinations: (GuideDestination | undefined)[]; problems: Problem[] }> {
  // Nobody gives the canary an origin: branches are loaded after its account, and may be withdrawn.
  const isAnyOrigin = originBranch === null && canaryOf !== undefined;
  if (originBranch === null && !isAnyOrigin) throw new DomainError('origin-unassigned');
  const queries = guides.map(({ Destinatario }) => toQuery(Destinatario));
  const isPickUp = service === 'the service';
  // Without a branch beside it, a postal code is a query already.
  const besideBranches = isPickUp ? [] : guides.flatMap(({ Destinatario }) => codeBesideBranch(Destinatario));
  const covers = besideBranches.map((postalCode) => ({ postalCode }));
  const answer = await branches.resolve(
    { origin: originBranch, destinations: [...queries, ...covers] },
    { requestId, account, signal },
  );
  const origin = isAnyOrigin ? answer.destinations[0]?.branch : answer.origin;
  if (!origin) throw new DomainError('origin-inactive');
  const covering = new Map(besideBranches.map((code, i) => [code, answer.destinations[queries.length + i]]));
  const problems: Problem[] = [];
  const destinations = guides.map(({ Destinatario: { CodigoPostal, DestinoCode } }, indice) => {
    const destination = answer.destinations[indice];
    if (!destination) {
      problems.push({ indice, ...unresolved(queries[indice] as DestinationQuery) });
      return undefined;
    }
    const { branch } = destination;
    const found = DestinoCode === undefined ? destination : covering.get(CodigoPostal ?? '');
    const isCovered = !isPickUp && found?.branch.Codigo === branch.Codigo;
    const goesThere = isCovered || !answer.hasCoverage;
    const homePostalCode = (goesThere ? CodigoPostal : undefined) ?? branch.CodigoPostal;
    return { branch, homePostalCode, route: isCovered ? found.route : undefined };
  });
  return { origin, destinations, problems };
}

/** Returns the postal code of a destination that names a branch too. */
function codeBesideBranch({ DestinoCode, CodigoPostal }: Shipment['Destinatario']): string[] {
  return DestinoCode === undefined || CodigoPostal === undefined ? [] : [CodigoPostal];
}

/** DestinoCode decides if both fields are given (docs/contract.md "Guides"). */
function toQuery({ DestinoCode, CodigoPostal = '' }: Shipment['Destinatario']): DestinationQuery {
  return DestinoCode === undefined ? { postalCode: CodigoPostal } : { code: branchCode(DestinoCode) };
}

function unresolved(query: DestinationQuery): Problem {
  return 'postalCode' in query
    ? { campo: 'Destinatario.CodigoPostal', code: 'postal-code-uncovered', params: query }
    : { campo: 'Destinatario.DestinoCode', code: 'destination-invalid' };
}
