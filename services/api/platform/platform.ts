import type { Connection } from 'mongoose';
import type { Registry } from 'prom-client';
import { openUserActions, type UserActions } from '#shared/actions/action-trouble.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { actionsOf } from '#shared/rooms.ts';
import { AnswerLog } from '#shared/stores/answer-log.ts';
import { DatabaseClock } from '#shared/stores/database-clock.ts';
import type { ServiceHeartbeat } from '#shared/stores/heartbeat.ts';
import { openMongo } from '#shared/stores/mongo.ts';
import { writing } from '#shared/stores/mongo-check.ts';
import { PROCESSES, ProcessRegistry } from '#shared/stores/process-registry.ts';
import { openLabelCache, openRedis } from '#shared/stores/redis.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import type { RedisClock } from '#shared/stores/redis-clock.ts';
import type { ApiOptions } from '../config.ts';
import { AccountRefusals } from './account-refusals.ts';
import { IndexKeeper } from './index-keeper.ts';
import { Port } from './port.ts';
import { RecentSuccesses } from './recent-successes.ts';

/** What all rooms share. */
export type Platform = ApiOptions & {
  log: Logger;
  /** The registry behind `/metrics`. */
  metrics: Registry;
  mongo: Connection;
  databaseClock: DatabaseClock;
  indexes: IndexKeeper;
  /** The processes of this cell. */
  processes: ProcessRegistry;
  redis: RedisClient;
  /** The clock of the queue's Redis. */
  redisClock: RedisClock;
  /** The Redis of the labels. */
  labelCache: RedisClient;
  /** The last answers, for those who support customers. */
  answers: AnswerLog;
  /** Counts what users do by the api, all but the delivery of webhooks. */
  userActions: UserActions;
  accountRefusals: AccountRefusals;
  recentSuccesses: RecentSuccesses;
  /** Returns when the tariff in force was loaded. */
  tariffLoad: Port<() => Pick<ServiceHeartbeat, 'tariffLoad'>>;
};

/** Opens MongoDB and both Redis. They close after all that is opened later. */
export function openPlatform(server: HttpServer, log: Logger, options: ApiOptions): Platform {
  const { MONGODB_URI, REDIS_URL, REDIS_PREFIX: prefix, LABEL_CACHE_URL, CELL } = options.config;
  const mongo = openMongo(server, MONGODB_URI, writing('api'));
  const databaseClock = new DatabaseClock(mongo);
  server.startup.onceConnected("the database's clock", () => databaseClock.now());
  const indexes = keepIndexes(server, mongo);
  indexes.add(PROCESSES);
  const redis = openRedis(server, REDIS_URL, prefix);
  const { actions, clock } = openUserActions(server, redis, prefix, actionsOf('api'));
  const labelCache = openLabelCache(server, LABEL_CACHE_URL, prefix);
  const answers = new AnswerLog(labelCache, prefix, log);
  server.addHook('onClose', () => answers.write());
  return {
    ...options,
    log,
    metrics: server.metrics,
    mongo,
    databaseClock,
    indexes,
    processes: new ProcessRegistry(mongo, CELL),
    redis,
    redisClock: clock,
    labelCache,
    answers,
    userActions: actions,
    accountRefusals: new AccountRefusals(),
    recentSuccesses: new RecentSuccesses(),
    tariffLoad: new Port(() => ({})),
  };
}

function keepIndexes(server: HttpServer, mongo: Connection): IndexKeeper {
  const keeper = new IndexKeeper(mongo, server.log);
  let stop = async () => {};
  server.addHook('onClose', () => stop());
  server.startup.onceConnected('the indexes of MongoDB', async () => {
    await keeper.check();
    stop = keeper.keepChecking();
  });
  return keeper;
}
