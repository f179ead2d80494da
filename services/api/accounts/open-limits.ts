import type { Base } from '../http/room.ts';
import { localTimeFormatter } from '../platform/local-time.ts';
import { type AccountLimits, AccountLimitsStore, recentSettings } from './account-limits.ts';
import { CountedLimit } from './counted-limit.ts';
import { GuideLimit, KEPT_S } from './guide-limit.ts';
import { LimitReport } from './limit-report.ts';
import { RequestLimit } from './request-limit.ts';

export function openLimits({ config, mongo, redis, databaseClock, metrics, log }: Base) {
  const prefix = config.REDIS_PREFIX;
  const localTime = localTimeFormatter(config.TIME_ZONE);
  const report = new LimitReport(metrics, log);
  const defaults: AccountLimits = {
    requestsPerSecond: config.REQUESTS_PER_SECOND_PER_ACCOUNT,
    requestsBurst: config.REQUESTS_BURST_PER_ACCOUNT,
    guidesPerDay: config.GUIDES_PER_DAY_PER_ACCOUNT,
    labelPages: config.LABEL_PAGES_PER_ACCOUNT,
  };
  const requests = new CountedLimit({ redis, prefix, limit: 'requests', report });
  const guides = new CountedLimit({ redis, prefix, limit: 'guides', keptS: KEPT_S, report });
  return {
    /** Writes a moment as SEND_FECHA shows it, in the time zone of the guides' daily limit. */
    localTime,
    limitReport: report,
    settingsOf: recentSettings(new AccountLimitsStore(mongo), defaults),
    requestLimit: new RequestLimit(requests),
    guideLimit: new GuideLimit(guides, localTime, () => databaseClock.estimate()),
  };
}
