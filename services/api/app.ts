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
import { cod } from './cod/room.ts';
import { type ApiConfig, LABEL_TIMEOUTS } from './config.ts';
import { counter } from './counter/room.ts';
import { evidence } from './evidence/room.ts';
import { guides } from './guides/room.ts';
import { allowOrigins } from './http/cors.ts';
import { countActions } from './http/count-actions.ts';
import { delayRateLimited } from './http/delay-rate-limited.ts';
import { serveDocument } from './http/document.ts';
import { type BadUrlAnswer, errorsOf, type OpenRooms, openRooms, type Room } from './http/room.ts';
import { keys } from './keys/room.ts';
import { labels } from './labels/room.ts';
import { manifests } from './manifests/room.ts';
import { manual } from './manual/room.ts';
import { pickups } from './pickups/room.ts';
import { openPlatform } from './platform/platform.ts';
import { privacy } from './privacy/room.ts';
import { quotes } from './quotes/room.ts';
import { rehearsal } from './rehearsal/room.ts';
import { returns } from './returns/room.ts';
import { tracking } from './tracking/room.ts';
import { webhooks } from './webhooks/room.ts';

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
  evidence,
  returns,
  webhooks,
  pickups,
  cod,
  billing,
  privacy,
  manual,
  counter,
  canary,
];

/** The server, and its rooms. */
export type Api = { server: HttpServer } & Pick<OpenRooms, 'contextOf'>;

/** Builds the API without listening; it starts even if its stores are down. Closing it closes all that it opened. */
export async function buildApi(
  config: ApiConfig,
  log: Logger,
  tracing?: Tracing,
  labelTimeouts = LABEL_TIMEOUTS,
  rooms = ROOMS,
): Promise<Api> {
  const { DRAIN_MS: drainMs, TRUST_PROXY: trustProxy } = config;
  const errors = errorsOf(rooms);
  const onBadUrl = firstAnswer(rooms.flatMap((room) => room.onBadUrl?.(config) ?? []));
  const options = { log, errors, drainMs, trustProxy, anySlashes: true, onBadUrl };
  let opened!: OpenRooms;
  const server = await buildHttpServer(options, async (server) => {
    await allowOrigins(server, config);
    delayRateLimited(server);
    await serveDocument(server, config, {
      errors,
      description: rooms.map(({ introduction }) => introduction?.(rooms) ?? '').join(''),
      guide: rooms.flatMap((room) => room.guide ?? [])[0],
      additions: rooms.flatMap(({ adds }) => adds ?? []),
      messages: Object.assign({}, ...rooms.map(({ messages }) => messages)) as object,
    });

    const platform = openPlatform(server, log, { config, tracing, labelTimeouts });
    const base = { ...platform, errorTable: errors, rooms };
    opened = await openRooms(server, base);
    const { contextOf, addRoutes } = opened;
    const { limitReport } = contextOf(accounts);
    const { labels: printed } = contextOf(labels);
    const reports = (at: number) => ({
      limited: limitReport.mostRefused(),
      actions: base.userActions.report(at),
      missingIndexes: base.indexes.missing(),
      accounts: base.accountRefusals.report(at),
      marks: true as const,
      ...base.tariffLoad.value(),
    });
    beatWhileServing(server, 'api', base.redis, config, reports, {
      ...{ in: base.processes, service: 'api' },
      details: () => ({ seesWorkers: printed.seesWorkers, proven: base.recentSuccesses.recent() }),
    });

    countActions(server, base);
    await addRoutes(server, 'openRoutes');
    await server.register(async (scope) => {
      const authenticated = scope as HttpServer;
      authenticate(authenticated, contextOf(accounts));
      limitRequests(authenticated, contextOf(accounts));
      authorize(authenticated);
      heavyRequests(authenticated);
      await addRoutes(authenticated, 'routes');
    });
  });
  return { server, contextOf: opened.contextOf };
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
