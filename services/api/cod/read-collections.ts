import type { ApiUser } from '#shared/accounts/user-store.ts';
import { inTurns } from '#shared/async/in-turns.ts';
import type { Collected } from '#shared/cod/collection-model.ts';
import type { Movement } from '#shared/cod/ledger-model.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import { isTestNumber } from '#shared/guides/guide.ts';
import {
  encodeCursor,
  type ListParameters,
  positionOf,
  readPage,
  USUAL_PAGE,
} from '../http/list-parameters.ts';
import { toPesos } from '../platform/amounts.ts';
import { dueOf, isWithin } from './collected.ts';
import type { CollectionStore } from './collection-store.ts';
import type { Ledger, NumberedMovement } from './ledger.ts';
import { asPaid, type PaidRemittance, remittanceNumbers } from './remittances.ts';

type Deps = { ledger: Ledger; collections: CollectionStore; localTime: (moment: Date) => string };
type CollectedRequest = ListParameters & { diferencia?: boolean };

/**
 * Returns a page of the account's guides of which money was collected, or should have been, the newest first; the cursor of
 * the next page; and what the carrier owes the account now, in pesos.
 *
 * @throws DomainError `parameter-invalid`, with the parameter.
 */
export async function listCollected(
  { ledger, collections }: Deps,
  user: Pick<ApiUser, 'account' | 'test'>,
  request: CollectedRequest,
) {
  const { account } = user;
  const { diferencia: differing = false } = request;
  const { page, cursor } = await readPage(request, (within, limit) =>
    collections.page({ account, ...(differing && { differs: true as const }), ...within }, limit),
  );
  const [movements, entries, owed] = await Promise.all([
    ledger.ofGuides(page.map(({ _id }) => _id)),
    ledger.remittances(account),
    ledger.owed(user),
  ]);
  const paid = asPaid(entries);
  const byGuide = Map.groupBy(movements, ({ guide }) => guide);
  return {
    collected: await inTurns(page, (one) => collectedView(one, byGuide.get(one._id) ?? [], paid)),
    cursor,
    owed: toPesos(owed),
  };
}

function collectedView(
  guide: Collected,
  movements: readonly NumberedMovement[],
  paid: readonly PaidRemittance[],
) {
  const { _id, createdAt, reference, status, amount, collected, difference } = guide;
  return {
    SEND_GUIA: _id,
    SEND_FECHA: createdAt,
    SEND_ESTATUS: status,
    ...(reference !== undefined && { Referencia: reference }),
    ...(isTestNumber(_id) && { Prueba: true as const }),
    Cobro: toPesos(amount),
    Cobrado: toPesos(collected),
    ...(difference && { Diferencia: { Tipo: difference, Importe: toPesos(collected - dueOf(guide)) } }),
    Movimientos: movements.map((movement) => ({
      ...movementView(movement),
      // Those of a test guide have numbers of a ledger that nobody pays.
      ...(!isTestNumber(_id) && remittanceOf(movement, paid)),
    })),
  };
}

function remittanceOf({ number }: NumberedMovement, paid: readonly PaidRemittance[]) {
  const found = paid.find(({ ranges, takenBackAt }) => !takenBackAt && isWithin(ranges, number));
  return found && { Liquidacion: found.number };
}

function movementView({ event, amount, means, registered }: Movement & { registered: Date }) {
  return { Id: event, Importe: toPesos(amount), Medio: means, Registrado: registered.toISOString() };
}

/** Returns a page of the account's remittances, the newest first, and the cursor of the next page; null after the last. */
export async function listRemittances({ ledger, localTime }: Deps, account: string, request: ListParameters) {
  const { limite: limit = USUAL_PAGE } = request;
  const position = positionOf(request);
  const all = asPaid(await ledger.remittances(account)).reverse();
  const from = position ? all.findIndex(({ number }) => number === position._id) + 1 : 0;
  const page = all.slice(from, from + limit);
  const last = page.at(-1);
  const hasMore = last !== undefined && from + limit < all.length;
  const cursor = hasMore ? encodeCursor({ createdAt: localTime(last.registered), _id: last.number }) : null;
  return { remittances: page.map((each) => remittanceView(each, localTime)), cursor };
}

/**
 * Returns a remittance of the account, with a page of its movements.
 *
 * @param from number of the ledger after which the page begins.
 * @throws DomainError `remittance-not-found`, also for another account's.
 */
export async function readRemittance(
  { ledger, localTime }: Deps,
  account: string,
  number: string,
  { from = 0, limit }: { from?: number | undefined; limit: number },
) {
  const paid = remittanceNumbers.has(number) ? asPaid(await ledger.remittances(account)) : [];
  const remittance = paid.find((each) => each.number === number);
  if (!remittance) throw new DomainError('remittance-not-found');
  const rest = cut(remittance.ranges, from);
  const movements: NumberedMovement[] = [];
  for await (const some of ledger.movements(account, rest, limit + 1)) {
    movements.push(...some);
    if (movements.length > limit) break;
  }
  const page = movements.slice(0, limit);
  return {
    ...remittanceView(remittance, localTime),
    Detalle: page.map((movement) => ({ SEND_GUIA: movement.guide, ...movementView(movement) })),
    next: movements.length > limit ? page.at(-1)?.number : undefined,
  };
}

/** Returns what is left of ranges after a number. */
function cut(ranges: PaidRemittance['ranges'], from: number): PaidRemittance['ranges'] {
  return ranges.flatMap(([first, last]) =>
    last <= from ? [] : [[Math.max(first, from + 1), last] as const],
  );
}

export function remittanceView(
  { number, registered, until, amount, movements, takenBackAt }: PaidRemittance,
  localTime: (moment: Date) => string,
) {
  return {
    Liquidacion: number,
    Fecha: localTime(registered),
    Hasta: until.toISOString(),
    Importe: toPesos(amount),
    Movimientos: movements,
    Estado: takenBackAt ? ('anulada' as const) : ('pagada' as const),
    ...(takenBackAt && { Anulada: localTime(takenBackAt) }),
  };
}
