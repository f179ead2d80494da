import { Counter, type Registry } from 'prom-client';
import type { HttpServer } from '#shared/http/http-server.ts';
import { NOTICE_ACCOUNTS, NOTICES, OUTCOMES } from '#shared/notices/notice-model.ts';
import { countingLimiter, secondsUntilTaken } from '#shared/stores/counting-limiter.ts';
import type { Accounts } from '../accounts/open.ts';
import type { Guides } from '../guides/open.ts';
import type { Base } from '../http/room.ts';
import { repeatOnceConnected } from '../platform/repeat.ts';
import { watchDependency } from '../platform/watch-dependency.ts';
import type { Tracking } from '../tracking/open.ts';
import { NoticeAccounts } from './account-store.ts';
import { mailWriter } from './mail.ts';
import { MailServer } from './mail-server.ts';
import { NoticeStore } from './notice-store.ts';
import { type RecordDeps, recordNotices } from './record-notices.ts';
import { Refusals } from './refusals.ts';
import { type Result, sendNotices } from './send-notices.ts';
import { type Service, serviceOf } from './service.ts';

/** What the room provides. */
export type Notices = ReturnType<typeof openNotices>;
export type NoticesContext = Base & Accounts & Guides & Tracking & Notices;

type Count = (result: Result, times?: number) => void;

/** Pause between sweeps, in ms: a recipient hears of an event within seconds. */
const SWEEP_MS = 2_000;
/** Most notices that an address gets in a day, of all accounts. */
const OF_ADDRESS = 20;
const DAY_S = 24 * 3_600;
/** Pauses between looks at the mail server, in ms. */
const CHECK_MS = { pauseMs: 60_000, retryMs: 15_000 };

/** Opens the stores of notices, and sends them if the settings name a mail server. @throws Error as `serviceOf` does. */
export function openNotices(server: HttpServer, context: Base & Guides & Tracking) {
  const { config, mongo, indexes, eventLog, guides, onEvents, log, metrics } = context;
  indexes.add(NOTICE_ACCOUNTS, NOTICES);
  const accounts = new NoticeAccounts(mongo);
  const notices = new NoticeStore(mongo);
  const service = serviceOf(config);
  const refusals = service && new Refusals(mongo, service.secret);
  if (service && refusals) {
    onEvents.push((account) => {
      accounts
        .wake(account)
        .catch((err) => log.warn({ err }, 'Notices of new events are sent up to a minute later'));
    });
    const perDay = config.NOTICES_PER_DAY_PER_ACCOUNT;
    const count = counterOf(metrics);
    sendAll(server, context, { accounts, notices, eventLog, guides, perDay, count, refusals, service });
  }
  return { noticeAccounts: accounts, notices, refusals };
}

/** Records what is new, and sends what is recorded, while the mail server serves. */
function sendAll(
  server: HttpServer,
  { config, log, redis }: Base,
  { service, ...deps }: RecordDeps & { refusals: Refusals; service: Service; count: Count },
): void {
  const mailServer = new MailServer(service.smtpUrl);
  const options = {
    name: 'mail-server',
    failed: 'The mail server of notices does not serve',
    recovered: 'The mail server of notices serves again',
    ...CHECK_MS,
  };
  const watched = watchDependency(server, options, () => mailServer.check());
  const limiter = countingLimiter(redis, `${config.REDIS_PREFIX}:notices`, OF_ADDRESS, DAY_S);
  const mayGet = (address: string) =>
    limiter.consume(deps.refusals.idOf(address)).then(
      () => true,
      (reason: unknown) => {
        secondsUntilTaken(reason); // throws what is no refusal
        return false;
      },
    );
  const sending = {
    ...deps,
    ...{ log, mailServer, from: service.from, write: mailWriter(config, service) },
    ...{ mayGet, onAway: watched.fail },
  };
  const failed = 'Notices to recipients wait for the next sweep';
  repeatOnceConnected(server, { name: 'notices', pauseMs: SWEEP_MS, failed }, async (signal) => {
    await recordNotices(deps, signal);
    if (await watched.serves()) await sendNotices(sending, signal);
  });
}

function counterOf(metrics: Registry): Count {
  const counter = new Counter({
    name: 'notices_total',
    help: 'Notices to recipients, and tries to send them, by what became of them',
    labelNames: ['result'],
    registers: [metrics],
  });
  for (const result of [...Object.keys(OUTCOMES), 'again', 'unknown', 'away']) counter.inc({ result }, 0);
  return (result, times = 1) => counter.inc({ result }, times);
}
