import type { LogRange } from './log-range.ts';
import type { LocalTime } from './months.ts';
import type { WithoutTariffFile } from './without-tariff-file.ts';

/** Whose usage is read. */
export type UsageOptions = {
  /** Of test accounts, in place of all others. */
  test: boolean;
  /** Of this account alone. */
  account: string | undefined;
  /** Takes the guides that nothing can price, if somebody wants to know which they are. */
  withoutTariff?: Pick<WithoutTariffFile, 'add'> | undefined;
  onProgress?: (text: string) => void;
  /** Writes moments of one account by local time: its figures are then by day, in place of by account. */
  byDay?: LocalTime;
};

/**
 * `canaries`: accounts that are left out, because they are no customers. `range`: where the account's entries are, if it is one
 * account and they are all in its own log.
 */
export type ReadOptions = UsageOptions & { canaries: ReadonlySet<string>; range: LogRange | undefined };
