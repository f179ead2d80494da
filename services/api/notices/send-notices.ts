import { isTestNumber } from '#shared/guides/guide.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import type { Notice, Outcome } from '#shared/notices/notice-model.ts';
import type { Logger } from '#shared/observability/logger.ts';
import type { EventLog } from '#shared/tracking/event-log.ts';
import type { GuideStore } from '../guides/guide-store.ts';
import type { NoticeAccounts } from './account-store.ts';
import { addressOf, type mailWriter } from './mail.ts';
import type { MailConnection, MailServer, Sent } from './mail-server.ts';
import { type Standing, standingOf, turningPoints } from './notice-states.ts';
import { idOf, type NoticeStore } from './notice-store.ts';
import { MAX_AGE_MS } from './record-notices.ts';
import type { Refusals } from './refusals.ts';

/** Connections of a process to the mail server, and those of one account among them. */
const CONNECTIONS = 4;
const OF_ACCOUNT = 2;
/** Time after which a sweep begins no mail, in ms: the events of other accounts are not looked at before it ends. */
const SWEEP_MS = 3_000;
/** Pauses before the next tries, in ms; the last one is repeated until the notice is late. */
const PAUSES_MS = [30_000, 60_000, 300_000, 900_000];

/** What became of a notice, or of a try. */
export type Result = Outcome | Sent['outcome'];

type SendDeps = {
  accounts: NoticeAccounts;
  notices: NoticeStore;
  eventLog: EventLog;
  guides: GuideStore;
  refusals: Refusals;
  /** Counts a notice to an address, and returns whether the address may get it. */
  mayGet: (address: string) => Promise<boolean>;
  mailServer: MailServer;
  from: string;
  write: ReturnType<typeof mailWriter>;
  log: Logger;
  /** Counts what became of a notice. */
  count: (result: Result) => void;
  /** Is told that the mail server does not serve: nothing more is sent until it does. */
  onAway: (error: Error) => void;
};
type Ready = { guide: GuideDocument; standing: Standing; address: string };

/**
 * Sends the notices that are due, for a few seconds, over a few connections, of which no account gets all.
 * @throws what one of them met, once all have ended.
 */
export async function sendNotices(deps: SendDeps, signal: AbortSignal): Promise<void> {
  const sweep = { endsAt: performance.now() + SWEEP_MS, isAway: false, underWay: [] as string[] };
  let taking = Promise.resolve<Notice | undefined>(undefined);
  // One after the other: lanes that took at once would all take notices of one account.
  const take = () => {
    taking = taking.then(async () => {
      const notice = await deps.notices.take(busyAccounts(sweep.underWay));
      if (notice) sweep.underWay.push(notice.account);
      return notice;
    });
    return taking;
  };
  const lane = async () => {
    let connection: MailConnection | undefined;
    try {
      while (performance.now() < sweep.endsAt && !sweep.isAway && !signal.aborted) {
        const notice = await take();
        if (!notice) break;
        const ready = await prepare(deps, notice);
        if (ready && !connection?.isOpen) connection = await connect(deps, notice);
        if (ready && (!connection || !(await send(deps, connection, notice, ready)))) sweep.isAway = true;
        sweep.underWay.splice(sweep.underWay.indexOf(notice.account), 1);
      }
    } finally {
      connection?.quit();
    }
  };
  const lanes = Array.from({ length: CONNECTIONS }, lane);
  await Promise.allSettled(lanes);
  await Promise.all(lanes);
}

/** Returns the accounts that have as many mails under way as they may. */
function busyAccounts(underWay: readonly string[]): string[] {
  const byAccount = Map.groupBy(underWay, (account) => account);
  return [...byAccount].flatMap(([account, own]) => (own.length < OF_ACCOUNT ? [] : [account]));
}

/** Looks whether a notice is still to be sent, and ends it if not. The guide says where to: an erasure takes the address. */
async function prepare(deps: SendDeps, notice: Notice): Promise<Ready | undefined> {
  const found = await look(deps, notice).catch(async (error: unknown) => {
    await tryAgain(deps, notice).catch(() => {}); // the sweep's failure says why
    throw error;
  });
  if (typeof found !== 'string') return found;
  await deps.notices.end(notice, found);
  deps.count(found);
  return undefined;
}

async function look(
  { accounts, notices, eventLog, guides, refusals, mayGet }: SendDeps,
  notice: Notice,
): Promise<Ready | Outcome> {
  const { _id, account, guide: number, state, occurred } = notice;
  const [now, chosen, guide, entries] = await Promise.all([
    notices.clock.now(),
    accounts.find(account),
    guides.find(number),
    eventLog.ofGuides([number]),
  ]);
  if (now.getTime() - occurred.getTime() > MAX_AGE_MS) return 'late';
  if (!chosen?.active || !chosen.states.includes(state)) return 'off';
  const told = entries.map((entry) => entry.told);
  const standing = guide && standingOf(guide, told);
  if (!guide || standing?.state !== state) return 'superseded';
  // It may have left the state since, and come to it anew.
  const latest = turningPoints(guide, told).findLast((point) => point.state === state);
  if (latest && idOf(account, number, latest.event.Id) !== _id) return 'superseded';
  const address = addressOf(guide);
  if (address === undefined) return 'withoutAddress';
  if (isTestNumber(number)) return 'test';
  if (await refusals.refuses(address)) return 'unwanted';
  if (notice.tries === 1 && !(await mayGet(address))) return 'overLimit';
  return { guide, standing, address };
}

/** Returns a connection; undefined if the server does not serve. The notice then waits for its next try. */
async function connect(deps: SendDeps, notice: Notice): Promise<MailConnection | undefined> {
  try {
    return await deps.mailServer.connect();
  } catch (error) {
    await tryAgain(deps, notice);
    deps.onAway(error as Error);
    return undefined;
  }
}

/** @returns false if the server does not serve. */
async function send(
  deps: SendDeps,
  connection: MailConnection,
  notice: Notice,
  { guide, standing, address }: Ready,
): Promise<boolean> {
  const { notices, refusals, from, log } = deps;
  const raw = await deps.write({
    ...{ id: notice._id, guide, standing, address },
    token: refusals.tokenOf(address),
  });
  const sent = await connection.send({ from, to: address, raw });
  deps.count(sent.outcome);
  if ('reply' in sent)
    log.info({ account: notice.account, reply: sent.reply }, 'The mail server did not accept a notice');
  if (sent.outcome === 'sent') await notices.end(notice, 'sent');
  if (sent.outcome === 'refused') await notices.end(notice, 'refused', sent.reply);
  if (sent.outcome === 'again' || sent.outcome === 'away') await tryAgain(deps, notice);
  if (sent.outcome !== 'away') return true;
  deps.mailServer.hold();
  deps.onAway(sent.error);
  return false;
}

async function tryAgain({ notices }: SendDeps, notice: Notice): Promise<void> {
  const pause = PAUSES_MS[notice.tries - 1] ?? PAUSES_MS.at(-1) ?? 0;
  await notices.giveBack(notice, await notices.clock.now(pause));
}
