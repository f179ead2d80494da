import fp from 'fastify-plugin';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { ApiOptions } from '../config.ts';
import { repeatOnceConnected } from '../platform/repeat.ts';
import { PersonalDataStore } from './personal-data-store.ts';
import { Retention } from './retention.ts';

const CHECK_MS = 60_000;

/** Starts to anonymise old guides, or logs that guides are kept. */
export const retentionPlugin = fp(async (server: HttpServer, { config }: ApiOptions) => {
  const { RETENTION_DAYS: days, REDIS_PREFIX: prefix } = config;
  const { mongo, databaseClock: clock, redis, log, metrics } = server;
  if (days === 0) {
    log.info('Guides keep names and addresses for ever: RETENTION_DAYS is 0');
    return;
  }
  log.info(`Guides older than ${days} days lose names and addresses: RETENTION_DAYS`);
  const store = new PersonalDataStore(mongo);
  const retention = new Retention({ store, clock, redis, prefix, days, log, metrics });
  const failed = 'A pass of retention was refused or cut off';
  repeatOnceConnected(server, { name: 'retention', pauseMs: CHECK_MS, failed }, (end) =>
    retention.runIfDue(end),
  );
});
