import type { LogRange } from './log-range.ts';
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
};

/**
 * `canaries`: accounts that are left out, because they are no customers. `range`: where the account's entries are, if it is one
 * account and they are all in its own log.
 */
export type ReadOptions = UsageOptions & { canaries: ReadonlySet<string>; range: LogRange | undefined };
