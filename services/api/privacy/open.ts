import type { HttpServer } from '#shared/http/http-server.ts';
import { type Base, personalDataOf } from '../http/room.ts';
import { personalTexts } from '../platform/personal-data.ts';
import { repeatOnceConnected } from '../platform/repeat.ts';
import { Retention } from './retention.ts';

const CHECK_MS = 60_000;

/** Starts to anonymise old guides, or logs that guides are kept. */
export function openPrivacy(
  server: HttpServer,
  { config, rooms, mongo, databaseClock: clock, redis, log, metrics }: Base,
): void {
  const { RETENTION_DAYS: days, REDIS_PREFIX: prefix } = config;
  if (days === 0) {
    log.info('Guides keep names and addresses for ever: RETENTION_DAYS is 0');
    return;
  }
  log.info(`Guides older than ${days} days lose names and addresses: RETENTION_DAYS`);
  const texts = personalTexts(personalDataOf(rooms));
  const retention = new Retention({ mongo, texts, clock, redis, prefix, days, log, metrics });
  const failed = 'A pass of retention was refused or cut off';
  repeatOnceConnected(server, { name: 'retention', pauseMs: CHECK_MS, failed }, (end) =>
    retention.runIfDue(end),
  );
}
