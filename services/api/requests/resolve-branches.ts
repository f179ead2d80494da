import { type Branch, branchCode, type DestinationQuery } from '#shared/contracts/branch.ts';
import { DomainError, type Problem } from '#shared/errors/domain-error.ts';
import type { Caller } from '../accounts/account-limits.ts';
import type { BranchesCaller, BranchesClient } from '../branches-client.ts';
import type { Shipment } from './guide-request.ts';

export type GuideBranches = { origin: Branch; destinations: Branch[] };

/**
 * Returns origin and destinations of a request's guides; the origin is the user's branch.
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
  const answer = await branches.resolve(
    { origin: originBranch, destinations: queries },
    { requestId, account, signal },
  );
  if (!answer.origin) throw new DomainError('origin-inactive');
  const problems: Problem[] = [];
  const destinations = queries.flatMap((query, indice) => {
    const branch = answer.destinations[indice];
    if (!branch) problems.push({ indice, ...unresolved(query) });
    return branch ? [branch] : [];
  });
  if (problems.length > 0) throw new DomainError('guides-invalid', { problems });
  return { origin: answer.origin, destinations };
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
