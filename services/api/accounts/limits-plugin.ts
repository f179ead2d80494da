import fp from 'fastify-plugin';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { ApiOptions } from '../config.ts';
import { localTimeFormatter } from '../platform/local-time.ts';
import { type AccountLimits, AccountLimitsStore, recentLimits } from './account-limits.ts';
import { CountedLimit } from './counted-limit.ts';
import { GuideQuota, KEPT_S } from './guide-quota.ts';
import { QuotaReport } from './quota-report.ts';
import { RequestQuota } from './request-quota.ts';

declare module 'fastify' {
  interface FastifyInstance {
    limitsOf: (account: string) => Promise<AccountLimits>;
    requestQuota: RequestQuota;
    guideQuota: GuideQuota;
    quotaReport: QuotaReport;
    /** Writes a moment as SEND_FECHA shows it, in the time zone of the guides' daily quota. */
    localTime: (moment: Date) => string;
  }
}

export const limitsPlugin = fp(async (server: HttpServer, { config }: ApiOptions) => {
  const { mongo, redis } = server;
  const prefix = config.REDIS_PREFIX;
  const localTime = localTimeFormatter(config.TIME_ZONE);
  const report = new QuotaReport(server.metrics, server.log);
  const defaults: AccountLimits = {
    requestsPerSecond: config.REQUESTS_PER_SECOND_PER_ACCOUNT,
    requestsBurst: config.REQUESTS_BURST_PER_ACCOUNT,
    guidesPerDay: config.GUIDES_PER_DAY_PER_ACCOUNT,
    labelPages: config.LABEL_PAGES_PER_ACCOUNT,
  };
  server.decorate('localTime', localTime);
  server.decorate('quotaReport', report);
  server.decorate('limitsOf', recentLimits(new AccountLimitsStore(mongo), defaults));
  const requests = new CountedLimit({ redis, prefix, limit: 'requests', report });
  const guides = new CountedLimit({ redis, prefix, limit: 'guides', keptS: KEPT_S, report });
  server.decorate('requestQuota', new RequestQuota(requests));
  server.decorate('guideQuota', new GuideQuota(guides, localTime));
});
