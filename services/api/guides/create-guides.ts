import { type Branch, branchCode, type DestinationQuery } from '../../../shared/branch.ts';
import { DomainError, type Problem } from '../../../shared/errors.ts';
import type { Guide } from '../../../shared/guide.ts';
import type { ApiUser } from '../auth/user-store.ts';
import type { BranchesClient } from './branches-client.ts';
import { guidesInvalid, parseGuideRequest } from './guide-request.ts';
import type { GuideRecord, GuideStore, NewGuide } from './guide-store.ts';

/**
 * Creates the guides of one request, all or none.
 *
 * @param body parsed JSON of any shape.
 * @throws DomainError of the first check that fails, in the contract's order ("Guides").
 */
export type CreateGuides = (body: unknown, user: ApiUser, requestId: string) => Promise<GuideRecord[]>;

export function createGuides(parts: {
  guides: GuideStore;
  branches: BranchesClient;
  /** A moment as SEND_FECHA shows it. */
  localTime: (moment: Date) => string;
}): CreateGuides {
  return async (body, user, requestId) => {
    const { service, guides } = parseGuideRequest(body);
    if (user.originBranch === null) throw new DomainError('origin-unassigned');
    const { origin, destinations } = await resolve(parts.branches, user.originBranch, guides, requestId);
    const createdAt = parts.localTime(new Date());
    return parts.guides.insert(
      guides.map((guide, indice): NewGuide => {
        const destination = destinations[indice] as Branch;
        return {
          username: user.username,
          createdAt,
          status: 'Documentado',
          service,
          origin: onGuide(origin),
          destination: onGuide(destination),
          freight: 0,
          total: 0,
          guide: withStoredCode(guide),
        };
      }),
    );
  };
}

/** One call for the whole request, with each distinct destination once. */
async function resolve(branches: BranchesClient, originBranch: string, guides: Guide[], requestId: string) {
  const queries = guides.map(({ Destinatario }) => toQuery(Destinatario));
  const keys = queries.map((query) => JSON.stringify(query));
  const distinct = [...new Set(keys)];
  const answer = await branches.resolve(
    { origin: originBranch, destinations: distinct.map((key) => JSON.parse(key) as DestinationQuery) },
    requestId,
  );
  if (!answer.origin) throw new DomainError('origin-inactive');
  const byKey = new Map(distinct.map((key, index) => [key, answer.destinations[index] ?? null]));
  const destinations = keys.map((key) => byKey.get(key) ?? null);
  const problems = destinations.flatMap((branch, indice) =>
    branch ? [] : [problem(indice, queries[indice])],
  );
  if (problems.length > 0) throw guidesInvalid(problems);
  return { origin: answer.origin, destinations };
}

/** DestinoCode decides where both are given (contract, "Guides"). */
function toQuery({ DestinoCode, CodigoPostal = '' }: Guide['Destinatario']): DestinationQuery {
  return DestinoCode === undefined ? { postalCode: CodigoPostal } : { code: branchCode(DestinoCode) };
}

function problem(indice: number, query: DestinationQuery | undefined): Problem {
  return query && 'postalCode' in query
    ? {
        indice,
        campo: 'Destinatario.CodigoPostal',
        message: `No hay cobertura para el código postal: ${query.postalCode}`,
      }
    : {
        indice,
        campo: 'Destinatario.DestinoCode',
        message: 'DestinoCode no corresponde a sucursal valida',
      };
}

function onGuide({ Codigo, Nombre }: Branch) {
  return { code: Codigo, name: Nombre };
}

function withStoredCode(guide: Guide): Guide {
  const { DestinoCode, ...recipient } = guide.Destinatario;
  if (DestinoCode === undefined) return guide;
  return { ...guide, Destinatario: { ...recipient, DestinoCode: branchCode(DestinoCode) } };
}
