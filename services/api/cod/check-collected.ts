import { DomainError, type Problem, ProblemList } from '#shared/errors/domain-error.ts';
import type { CheckCollected, CollectingRequest } from '../guides/collecting.ts';
import type { GuideDestination } from '../guides/resolve-branches.ts';
import { formatPesos, toCentavos } from '../platform/amounts.ts';
import { amountOf } from './collected.ts';

/**
 * Checks that the user may have money collected, that each destination collects as much, and that every label will say so.
 *
 * @param requireMarks of the labels.
 * @throws DomainError `forbidden`; `collections-refused` with the problems of all guides; as `requireMarks`.
 */
export function checkCollected(requireMarks: () => Promise<void>): CheckCollected {
  return async (request) => {
    if (!request.guides.some(({ Cobro }) => Cobro)) return;
    requireCollecting(request);
    await requireMarks();
  };
}

function requireCollecting({ user, guides, destinations }: CollectingRequest): void {
  const first = guides.findIndex(({ Cobro }) => Cobro);
  if (!user.permissions.includes('guias.cobro'))
    throw new DomainError('forbidden', {
      problems: [{ indice: first, campo: 'Cobro', code: 'forbidden' }],
    });
  const problems = new ProblemList();
  for (const [indice, guide] of guides.entries()) {
    const problem = guide.Cobro && problemOf(amountOf(guide), destinations[indice] as GuideDestination);
    if (problem) problems.add(() => ({ indice, ...problem }));
  }
  problems.throwIfAny('collections-refused');
}

function problemOf(amount: number, { branch }: GuideDestination): Problem | undefined {
  const { Codigo, CobraHasta } = branch;
  if (CobraHasta === undefined)
    return { campo: 'Cobro', code: 'branch-collects-nothing', params: { branch: Codigo } };
  const limit = toCentavos(CobraHasta);
  if (amount <= limit) return undefined;
  const params = { branch: Codigo, limit: formatPesos(limit) };
  return { campo: 'Cobro.Monto', code: 'amount-too-high', params };
}
