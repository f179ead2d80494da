import fp from 'fastify-plugin';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { ApiOptions } from '../config.ts';
import { localTimeFormatter } from '../platform/local-time.ts';
import {
  type AccountLimits,
  AccountLimitsStore,
  type AccountSettings,
  recentSettings,
} from './account-limits.ts';
import { CountedLimit } from './counted-limit.ts';
import { GuideLimit, KEPT_S } from './guide-limit.ts';
import { LimitReport } from './limit-report.ts';
import { RequestLimit } from './request-limit.ts';

declare module 'fastify' {
  interface FastifyInstance {
    settingsOf: (account: string) => Promise<AccountSettings>;
    requestLimit: RequestLimit;
    guideLimit: GuideLimit;
    limitReport: LimitReport;
    /** Writes a moment as SEND_FECHA shows it, in the time zone of the guides' daily limit. */
    localTime: (moment: Date) => string;
  }
}

export const limitsPlugin = fp(async (server: HttpServer, { config }: ApiOptions) => {
  const { mongo, redis, databaseClock } = server;
  const prefix = config.REDIS_PREFIX;
  const localTime = localTimeFormatter(config.TIME_ZONE);
  const report = new LimitReport(server.metrics, server.log);
  const defaults: AccountLimits = {
    requestsPerSecond: config.REQUESTS_PER_SECOND_PER_ACCOUNT,
    requestsBurst: config.REQUESTS_BURST_PER_ACCOUNT,
    guidesPerDay: config.GUIDES_PER_DAY_PER_ACCOUNT,
    labelPages: config.LABEL_PAGES_PER_ACCOUNT,
  };
  server.decorate('localTime', localTime);
  server.decorate('limitReport', report);
  server.decorate('settingsOf', recentSettings(new AccountLimitsStore(mongo), defaults));
  const requests = new CountedLimit({ redis, prefix, limit: 'requests', report });
  const guides = new CountedLimit({ redis, prefix, limit: 'guides', keptS: KEPT_S, report });
  server.decorate('requestLimit', new RequestLimit(requests));
  server.decorate('guideLimit', new GuideLimit(guides, localTime, () => databaseClock.estimate()));
});
