import { type Branch, branchCode, type DestinationQuery } from '#shared/branches/branch.ts';
import { DomainError, type Problem } from '#shared/errors/domain-error.ts';
import type { Caller } from '../accounts/account-limits.ts';
import type { BranchesCaller, BranchesClient } from '../branches/branches-client.ts';
import type { GuideRequest, Shipment } from './guide-request.ts';

export type GuideBranches = { origin: Branch; destinations: Branch[] };
type Asking = { user: Caller } & Omit<BranchesCaller, 'account'>;

/**
 * Returns origin and destinations of a request's guides; the origin is the user's branch.
 *
 * @throws DomainError `origin-unassigned`, `origin-inactive`, or `guides-invalid` with the unknown destinations.
 */
export async function resolveBranches(
  branches: BranchesClient,
  guides: readonly Pick<Shipment, 'Destinatario'>[],
  asking: Asking,
): Promise<GuideBranches> {
  const { problems, origin, destinations } = await findBranches(branches, guides, asking);
  if (problems.length > 0) throw new DomainError('guides-invalid', { problems });
  return { origin, destinations: destinations as Branch[] };
}

/**
 * Returns origin and destinations, undefined for an unknown one, which has a problem.
 *
 * @throws DomainError `origin-unassigned`, `origin-inactive`.
 */
export async function findBranches(
  branches: BranchesClient,
  guides: readonly Pick<Shipment, 'Destinatario'>[],
  { user: { originBranch, account }, requestId, signal }: Asking,
): Promise<{ origin: Branch; destinations: (Branch | undefined)[]; problems: Problem[] }> {
  if (originBranch === null) throw new DomainError('origin-unassigned');
  const queries = guides.map(({ Destinatario }) => toQuery(Destinatario));
  const answer = await branches.resolve(
    { origin: originBranch, destinations: queries },
    { requestId, account, signal },
  );
  if (!answer.origin) throw new DomainError('origin-inactive');
  const problems: Problem[] = [];
  const destinations = queries.map((query, indice) => {
    const found = answer.destinations[indice];
    if (!found) problems.push({ indice, ...unresolved(query) });
    return found?.branch;
  });
  return { origin: answer.origin, destinations, problems };
}

/**
 * Returns the route of each guide's postal code, if the guide's branch covers that; otherwise undefined. A parcel that waits at
 * its branch has none: it must not be put on a tour.
 */
export async function resolveRoutes(
  branches: BranchesClient,
  { service, guides }: GuideRequest,
  destinations: readonly Branch[],
  { user: { account }, requestId, signal }: Asking,
): Promise<(string | undefined)[]> {
  if (service !== 'Domicilio') return [];
  const postalCodes = guides.flatMap(({ Destinatario }) => Destinatario.CodigoPostal ?? []);
  const queries = postalCodes.map((postalCode) => ({ postalCode }));
  const answer = await branches.resolve(
    { origin: null, destinations: queries },
    { requestId, account, signal },
  );
  const covering = new Map(postalCodes.map((postalCode, i) => [postalCode, answer.destinations[i]]));
  return guides.map(({ Destinatario }, indice) => {
    const found = covering.get(Destinatario.CodigoPostal ?? '');
    return found?.branch.Codigo === destinations[indice]?.Codigo ? found?.route : undefined;
  });
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
