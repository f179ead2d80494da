import { hasWords } from '#shared/guides/event-types.ts';
import type { NoticeAccount, Outcome } from '#shared/notices/notice-model.ts';
import type { EventLog } from '#shared/tracking/event-log.ts';
import type { LogEntry } from '#shared/tracking/event-model.ts';
import type { GuideStore } from '../guides/guide-store.ts';
import type { NoticeAccounts } from './account-store.ts';
import { addressOf } from './mail.ts';
import { turningPoints } from './notice-states.ts';
import type { NewNotice, NoticeStore } from './notice-store.ts';

/** A scan that is older when it is looked at, or when it could be sent, is told to nobody. */
export const MAX_AGE_MS = 6 * 3_600_000;
/** Entries of a log that are read at once, and accounts of a sweep. */
const MAX_ENTRIES = 500;
const MAX_ACCOUNTS = 100;
/** Pause before entries that are not shown yet are looked at again, in ms. */
const PENDING_MS = 1_000;

export type RecordDeps = {
  accounts: NoticeAccounts;
  notices: NoticeStore;
  eventLog: EventLog;
  guides: GuideStore;
  /** Most notices of an account in 24 hours. */
  perDay: number;
  /** Counts what became of notices. */
  count: (result: Outcome, times: number) => void;
};

/**
 * Makes notices of what is new in the logs of accounts that are due. It reads the logs, as webhooks do, so that events of a process
 * of the release before count too. After a crash it makes them again, and each is there once.
 */
export async function recordNotices(deps: RecordDeps, signal: AbortSignal): Promise<void> {
  for (let looked = 0; looked < MAX_ACCOUNTS && !signal.aborted; looked++) {
    const account = await deps.accounts.takeDue();
    if (!account) return;
    await recordOf(deps, account);
  }
}

async function recordOf(deps: RecordDeps, account: NoticeAccount): Promise<void> {
  const { accounts, notices, eventLog, perDay, count } = deps;
  const { entries, next, hasPending } = await eventLog.page(account._id, account.cursor, MAX_ENTRIES);
  count('overLimit', await notices.add(account._id, await noticesOf(deps, account.states, entries), perDay));
  const again = entries.length === MAX_ENTRIES ? 0 : undefined;
  await accounts.advance(account._id, next, hasPending ? PENDING_MS : again);
}

async function noticesOf(
  { notices, eventLog, guides }: RecordDeps,
  states: NoticeAccount['states'],
  entries: readonly LogEntry[],
): Promise<NewNotice[]> {
  const oldest = (await notices.clock.now()).getTime() - MAX_AGE_MS;
  const isRecent = (occurred: string) => Date.parse(occurred) > oldest;
  const isTold = (told: LogEntry['told']) => hasWords(told) && (states as string[]).includes(told.Tipo);
  const fresh = entries.filter(({ told }) => isTold(told) && isRecent(told.Ocurrido));
  const ids = new Set(fresh.map(({ told }) => `${told.Guia} ${told.Id}`));
  const numbers = [...new Set(fresh.map(({ told }) => told.Guia))];
  if (numbers.length === 0) return [];
  const [found, all] = await Promise.all([
    Promise.all(numbers.map((number) => guides.find(number))),
    eventLog.ofGuides(numbers),
  ]);
  const byGuide = Map.groupBy(all, ({ told }) => told.Guia);
  return found.flatMap((guide): NewNotice[] => {
    if (!guide || addressOf(guide) === undefined) return [];
    const told = (byGuide.get(guide._id) ?? []).map((entry) => entry.told);
    // Of several at once, only the last one is still true.
    const last = turningPoints(guide, told).findLast(({ event }) => ids.has(`${guide._id} ${event.Id}`));
    if (!last) return [];
    const { event, state } = last;
    return [{ guide: guide._id, event: event.Id, state, occurred: new Date(event.Ocurrido) }];
  });
}
