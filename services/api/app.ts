import { buildHttpServer } from '#shared/http/build-http-server.ts';
import { beatWhileServing } from '#shared/http/heartbeats.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Logger } from '#shared/observability/logger.ts';
import type { Tracing } from '#shared/observability/tracing.ts';
import { authenticate } from './accounts/hooks/authenticate.ts';
import { authorize } from './accounts/hooks/authorize.ts';
import { heavyRequests } from './accounts/hooks/heavy-requests.ts';
import { limitRequests } from './accounts/hooks/limit-requests.ts';
import { accounts } from './accounts/room.ts';
import { billing } from './billing/room.ts';
import { branches } from './branches/room.ts';
import { canary } from './canary/room.ts';
import { type ApiConfig, LABEL_TIMEOUTS } from './config.ts';
import { guides } from './guides/room.ts';
import { corsPlugin } from './http/cors.ts';
import { countActions } from './http/count-actions.ts';
import { delayRateLimited } from './http/delay-rate-limited.ts';
import { openapi } from './http/document.ts';
import type { ErrorTable } from './http/errors.ts';
import { type BadUrlAnswer, errorsOf, type Room, type RoomOptions } from './http/room.ts';
import { keys } from './keys/room.ts';
import { labels } from './labels/room.ts';
import { manifests } from './manifests/room.ts';
import { manual } from './manual/room.ts';
import { answersPlugin } from './platform/answers.ts';
import { storesPlugin } from './platform/stores.ts';
import { userActionsPlugin } from './platform/user-actions.ts';
import { privacy } from './privacy/room.ts';
import { quotes } from './quotes/room.ts';
import { rehearsal } from './rehearsal/room.ts';
import { tracking } from './tracking/room.ts';
import { webhooks } from './webhooks/room.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The errors of all rooms. */
    errorTable: ErrorTable;
  }
}

/** The specification. It knows no other room. */
export const CORE: readonly Room[] = [accounts, branches, guides, labels];
/** Each stands on the core, and on those before it that it imports. */
export const ROOMS: readonly Room[] = [
  ...CORE,
  keys,
  quotes,
  tracking,
  rehearsal,
  manifests,
  webhooks,
  billing,
  privacy,
  manual,
  canary,
];

/** Builds the API without listening; it starts even if its stores are down. Closing it closes all that it opened. */
export function buildApi(
  config: ApiConfig,
  log: Logger,
  tracing?: Tracing,
  labelTimeouts = LABEL_TIMEOUTS,
  rooms = ROOMS,
): Promise<HttpServer> {
  const { DRAIN_MS: drainMs, TRUST_PROXY: trustProxy } = config;
  const options: RoomOptions = { config, tracing, labelTimeouts, rooms };
  const errors = errorsOf(rooms);
  const onBadUrl = firstAnswer(rooms.flatMap((room) => room.onBadUrl?.(config) ?? []));
  return buildHttpServer({ log, errors, drainMs, trustProxy, anySlashes: true, onBadUrl }, async (server) => {
    server.decorate('errorTable', errors);
    await server.register(corsPlugin, options);
    await server.register(delayRateLimited);
    await server.register(openapi, {
      ...options,
      errors,
      description: rooms.map(({ introduction = '' }) => introduction).join(''),
      guide: rooms.flatMap((room) => room.guide ?? [])[0],
      additions: rooms.flatMap(({ adds }) => adds ?? []),
      messages: Object.assign({}, ...rooms.map(({ messages }) => messages)) as object,
    });

    await server.register(storesPlugin, options);
    await server.register(userActionsPlugin, options);
    await server.register(answersPlugin, options);
    for (const { plugins = [] } of rooms)
      for (const plugin of plugins) await server.register(plugin, options);
    const reports = (at: number) => ({
      limited: server.limitReport.mostRefused(),
      actions: server.userActions.report(at),
      missingIndexes: server.indexes.missing(),
      accounts: server.accountRefusals.report(at),
      ...server.tariffLoad?.(),
    });
    beatWhileServing(server, 'api', server.redis, config, reports, {
      ...{ in: server.processes, service: 'api' },
      details: () => ({ seesWorkers: server.labels.seesWorkers, proven: server.recentSuccesses.recent() }),
    });

    await server.register(countActions);
    await registerAll(server, options, ({ openRoutes }) => openRoutes);
    await server.register(async (authenticated) => {
      await authenticated.register(authenticate);
      await authenticated.register(limitRequests);
      await authenticated.register(authorize);
      await authenticated.register(heavyRequests);
      await registerAll(authenticated as HttpServer, options, ({ routes }) => routes);
    });
  });
}

/** Returns a function that answers as the first of these does that answers at all. */
function firstAnswer(answers: readonly BadUrlAnswer[]): BadUrlAnswer {
  return (request, reply) => {
    for (const answer of answers) {
      const answered = answer(request, reply);
      if (answered) return answered;
    }
    return undefined;
  };
}

async function registerAll(
  server: HttpServer,
  options: RoomOptions,
  routesOf: (room: Room) => Room['routes'],
): Promise<void> {
  for (const room of options.rooms) {
    for (const routes of routesOf(room) ?? []) await server.register(routes, options);
  }
}
