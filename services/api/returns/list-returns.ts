import type { Static } from 'typebox';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import type { GuideStore } from '../guides/guide-store.ts';
import { summaryOf } from '../guides/guide-summary.ts';
import { type ListParameters, readPage } from '../http/list-parameters.ts';
import type { ReturnStore } from './return-store.ts';
import type { ListedReturn } from './schemas.ts';

type Deps = { returns: ReturnStore; guides: GuideStore };
type Row = Static<typeof ListedReturn>;

/**
 * Returns a page of the account's returns, newest first, and the cursor of the next one; null after the last.
 *
 * @throws DomainError `parameter-invalid`, with the parameter.
 */
export async function listReturns(
  { returns, guides }: Deps,
  account: string,
  request: ListParameters,
): Promise<{ rows: Row[]; cursor: string | null }> {
  const { page, cursor } = await readPage(request, (within, limit) => returns.page(account, within, limit));
  const rows = await Promise.all(
    page.map(async ({ _id, of }) => {
      const [guide, original] = await Promise.all([guides.find(_id), guides.find(of)]);
      return guide ? [rowOf(guide, original)] : [];
    }),
  );
  return { rows: rows.flat(), cursor };
}

function rowOf(guide: GuideDocument, original: GuideDocument | undefined): Row {
  const isScanned = (guide.events ?? 0) > 0 && guide.status !== 'Cancelado';
  const isEarly = guide.facts?.Anticipada === true && original?.status !== 'Entregado';
  return {
    ...summaryOf(guide),
    ...(isScanned && isEarly && { Aviso: 'anticipada_sin_entrega' as const }),
  } as Row;
}
