import type { Range, Remittance } from '#shared/cod/ledger-model.ts';
import { letteredNumbers } from '../guides/lettered-number.ts';
import { openRanges } from './collected.ts';
import type { Ledger, NumberedRemittance } from './ledger.ts';

/** Longest time in which a command pays an account, in ms: a million movements are added up. */
const PAY_MS = 120_000;
/** Movements that are read in one round trip. */
const MOVEMENTS_AT_ONCE = 2_000;

/** `L`, ten digits of which the first is not 0, and the check digit of a guide's number. */
export const REMITTANCE_NUMBER = '^L[0-9]{11}$';
export const remittanceNumbers = letteredNumbers(REMITTANCE_NUMBER);

/** A remittance as it is now. `takenBackAt`: when the bank's refusal was known. */
export type PaidRemittance = Omit<NumberedRemittance, 'takenBack'> & { takenBackAt?: Date };

/** Returns the remittances of a ledger's entries, the oldest first. */
export function asPaid(entries: readonly NumberedRemittance[]): PaidRemittance[] {
  const back = new Map(entries.flatMap((each) => (each.takenBack ? [[each.number, each.registered]] : [])));
  return entries.flatMap(({ takenBack, ...remittance }) => {
    if (takenBack) return [];
    const at = back.get(remittance.number);
    return [{ ...remittance, ...(at && { takenBackAt: at }) }];
  });
}

/** Returns the ranges of the movements that are paid. */
function paidRanges(remittances: readonly PaidRemittance[]): Range[] {
  return remittances.flatMap(({ ranges, takenBackAt }) => (takenBackAt ? [] : ranges));
}

/** `open`: what stays to be paid, which is not more than 0. */
export type Payment = { remittance: Remittance; repeated: boolean } | { open: number };

/**
 * Pays the open movements of an account that were registered up to a moment. If they are not more than 0, makes no remittance:
 * a later one has them too. The same moment again is the same remittance, unless that was taken back.
 */
export async function pay(ledger: Ledger, account: string, until: Date): Promise<Payment> {
  const last = await ledger.lastUntil(account, until);
  // While scanners append, the decision is made again and again. No entry changes, so what was added up holds.
  const totals = new Map<string, Awaited<ReturnType<typeof totalOf>>>();
  return ledger.append<Payment>(
    account,
    async () => {
      const paid = asPaid(await ledger.remittances(account));
      const same = paid.find((each) => !each.takenBackAt && each.until.getTime() === until.getTime());
      if (same) return { entries: [], result: { remittance: same, repeated: true } };
      const ranges = openRanges(paidRanges(paid), last);
      const total = totals.get(String(ranges)) ?? (await totalOf(ledger, account, ranges));
      totals.set(String(ranges), total);
      const { amount, movements } = total;
      if (amount <= 0) return { entries: [], result: { open: amount } };
      const number = remittanceNumbers.generate();
      const remittance = { account, number, amount, until, movements, ranges };
      return { entries: [{ remittance, makes: number }], result: { remittance, repeated: false } };
    },
    AbortSignal.timeout(PAY_MS),
  );
}

async function totalOf(ledger: Ledger, account: string, ranges: readonly Range[]) {
  const total = { amount: 0, movements: 0 };
  for await (const movements of ledger.movements(account, ranges, MOVEMENTS_AT_ONCE)) {
    for (const { amount } of movements) total.amount += amount;
    total.movements += movements.length;
  }
  return total;
}

type TakenBack = { remittance: Remittance; repeated: boolean } | undefined;

/**
 * Takes a remittance back: its movements are open again.
 * @returns it, and whether that was done before; undefined for an unknown number.
 */
export async function takeBack(ledger: Ledger, number: string): Promise<TakenBack> {
  const account = remittanceNumbers.has(number) ? await ledger.accountOf(number) : undefined;
  if (account === undefined) return undefined;
  return ledger.append<TakenBack>(
    account,
    async () => {
      const found = asPaid(await ledger.remittances(account)).find((each) => each.number === number);
      if (!found) return { entries: [], result: undefined };
      const { id: _, registered: __, takenBackAt, ...remittance } = found;
      if (takenBackAt) return { entries: [], result: { remittance, repeated: true } };
      const back = { remittance: { ...remittance, takenBack: true } };
      return { entries: [back], result: { remittance, repeated: false } };
    },
    AbortSignal.timeout(PAY_MS),
  );
}
