import fp from 'fastify-plugin';
import type { UserActions } from '#shared/actions/action-trouble.ts';
import { openUserActions } from '#shared/actions/action-trouble.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { actionsOf } from '#shared/rooms.ts';
import type { ServiceHeartbeat } from '#shared/stores/heartbeat.ts';
import type { RedisClock } from '#shared/stores/redis-clock.ts';
import type { ApiOptions } from '../config.ts';
import { AccountRefusals } from './account-refusals.ts';
import { RecentSuccesses } from './recent-successes.ts';

declare module 'fastify' {
  interface FastifyInstance {
    userActions: UserActions;
    accountRefusals: AccountRefusals;
    recentSuccesses: RecentSuccesses;
    /** Returns when the tariff in force was loaded. The room of quotes sets it. */
    tariffLoad?: () => Pick<ServiceHeartbeat, 'tariffLoad'>;
    /** The clock of the queue's Redis. */
    redisClock: RedisClock;
  }
}

/** Counts what users do by the api, all but the delivery of webhooks. */
export const userActionsPlugin = fp(async (server: HttpServer, { config }: ApiOptions) => {
  const { actions, clock } = openUserActions(server, server.redis, config.REDIS_PREFIX, actionsOf('api'));
  server.decorate('userActions', actions);
  server.decorate('redisClock', clock);
  server.decorate('accountRefusals', new AccountRefusals());
  server.decorate('recentSuccesses', new RecentSuccesses());
});
