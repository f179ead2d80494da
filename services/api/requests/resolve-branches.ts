import { type Branch, branchCode, type DestinationQuery } from '#shared/contracts/branch.ts';
import { DomainError, type Problem } from '#shared/errors/domain-error.ts';
import type { Caller } from '../accounts/account-limits.ts';
import type { BranchesCaller, BranchesClient } from '../branches-client.ts';
import type { Shipment } from './guide-request.ts';

/** `routes`: of each guide, undefined without one. */
export type GuideBranches = { origin: Branch; destinations: Branch[]; routes: (string | undefined)[] };

/**
 * Returns origin and destinations of a request's guides; the origin is the user's branch. A guide has the route of its
 * postal code, if its branch covers that.
 *
 * @throws DomainError `origin-unassigned`, `origin-inactive`, or `guides-invalid` with the unknown destinations.
 */
export async function resolveBranches(
  branches: BranchesClient,
  guides: readonly Pick<Shipment, 'Destinatario'>[],
  { user: { originBranch, account }, requestId, signal }: { user: Caller } & Omit<BranchesCaller, 'account'>,
): Promise<GuideBranches> {
  if (originBranch === null) throw new DomainError('origin-unassigned');
  const queries = guides.map(({ Destinatario }) => toQuery(Destinatario));
  const besideCodes = guides.flatMap(({ Destinatario: { DestinoCode, CodigoPostal } }) =>
    DestinoCode === undefined || CodigoPostal === undefined ? [] : { postalCode: CodigoPostal },
  );
  const answer = await branches.resolve(
    { origin: originBranch, destinations: [...queries, ...besideCodes] },
    { requestId, account, signal },
  );
  if (!answer.origin) throw new DomainError('origin-inactive');
  const covering = new Map(
    besideCodes.map(({ postalCode }, i) => [postalCode, answer.destinations[queries.length + i]]),
  );
  const problems: Problem[] = [];
  const routes: GuideBranches['routes'] = [];
  const destinations = queries.flatMap((query, indice) => {
    const found = answer.destinations[indice];
    if (!found) problems.push({ indice, ...unresolved(query) });
    if (!found) return [];
    const ofPostalCode =
      'postalCode' in query ? found : covering.get(guides[indice]?.Destinatario.CodigoPostal ?? '');
    routes.push(ofPostalCode?.branch.Codigo === found.branch.Codigo ? ofPostalCode.route : undefined);
    return [found.branch];
  });
  if (problems.length > 0) throw new DomainError('guides-invalid', { problems });
  return { origin: answer.origin, destinations, routes };
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
