import type { Queue } from 'bullmq';
import type { ApiUser } from '#shared/accounts/user-store.ts';
import type { AuditLog } from '#shared/audit/audit-log.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { FAILING, WEBHOOKS_BEHIND } from '#shared/observability/thresholds.ts';
import { clockIn } from '#shared/pages/format.ts';
import { zoneWords } from '#shared/pages/zone-words.ts';
import type { AuditAction } from '#shared/rooms.ts';
import { BULL_BOARD_QUEUE } from './bull-board.ts';
import { capacityView } from './capacity.ts';
import type { DashboardConfig } from './config.ts';
import { examined } from './diagnose.ts';
import { canaryHeadline } from './diagnoses/canary.ts';
import { LATENCY_MINUTES } from './label-latency.ts';
import { drawLabels } from './label-picture.ts';
import { compilePage, pausePage, sendPage } from './pages.ts';
import { processTable } from './process-table.ts';
import type { SystemState } from './system-state.ts';
import { type Header, headerOf } from './tabs.ts';
import type { Status, Watch } from './watch.ts';

const template = compilePage<ReturnType<typeof statusView>>('estado');

/** The page "Estado". Register it behind a session. */
export function statusRoute(
  watch: Pick<Watch, 'status'>,
  { TIME_ZONE: timeZone, WORKERS_MAX: workersMax }: Pick<DashboardConfig, 'TIME_ZONE' | 'WORKERS_MAX'>,
) {
  const words = { clock: clockIn(timeZone), zone: zoneWords(timeZone), workersMax };
  return async (server: HttpServer) => {
    server.get('/', async ({ apiUser }, reply) => {
      const header = headerOf(apiUser as ApiUser, 'Estado');
      return sendPage(reply, template(statusView(await watch.status(), header, words)));
    });
  };
}

function statusView(
  { state, diagnoses, ended }: Status,
  header: Header,
  {
    clock,
    zone,
    workersMax,
  }: { clock: (at: number) => string; zone: string; workersMax: number | undefined },
) {
  const length = diagnoses.filter(({ level }) => level !== 'nota').length;
  const isGrave = diagnoses.some(({ level }) => level === 'grave');
  const minute = (at: number) => clock(at).slice(0, 5);
  return {
    ...state,
    ...header,
    ...{ zone, updated: clock(state.at) },
    failures: state.failures.map((failure) => ({ ...failure, time: clock(failure.at) })),
    boardQueue: BULL_BOARD_QUEUE,
    ...{ windowMinutes: LATENCY_MINUTES, behindMs: WEBHOOKS_BEHIND.ageMs },
    customer: customerView(state, diagnoses),
    diagnoses: diagnoses.map(({ level, since, ...one }) => ({
      ...one,
      className: CLASSES[level],
      begin: since === undefined ? '' : clock(since),
    })),
    diagnosisIds: diagnoses.map(({ id }) => id).join(' '),
    ended: ended.map(({ text, from, to }) => ({ text, from: minute(from), to: minute(to) })),
    processes: processTable(state),
    looked: examined(state).join(', '),
    headline: length === 0 ? 'Todo bien' : length === 1 ? 'Hay un problema' : `Hay ${length} problemas`,
    severity: length === 0 ? 'bien' : isGrave ? 'mal' : 'atencion',
    disk: state.redis.writesFail ? 'falla' : state.redis.appendOnly ? 'sí' : 'no',
    capacity: capacityView(state, workersMax),
    picture: drawLabels(state.minutes, clock),
    prices: pricesView(state.guides),
  };
}

const CLASSES = { grave: 'mal', atencion: 'atencion', nota: 'aviso' };

/** The first sentence, unless the first line of the list says the same. */
function customerView({ canary }: SystemState, [first]: Status['diagnoses']) {
  const { text, level } = canaryHeadline(canary);
  return text === first?.text ? undefined : { text, className: level ? CLASSES[level] : '' };
}

/** The share of guides that answer 0: information, no fault. A carrier may want it so. */
function pricesView({ priced, billed, without_tariff: withoutTariff }: SystemState['guides']) {
  const unquoted = billed + withoutTariff;
  const created = priced + unquoted;
  const share = created === 0 ? undefined : Math.round((100 * unquoted) / created);
  return { created, unquoted, share, withoutTariff, minutes: FAILING.windowMinutes };
}

/**
 * Pauses and resumes the queue, after a confirmation because every customer is affected. Register it behind a
 * session.
 */
export function pauseRoutes(queue: Queue, auditLog: AuditLog<AuditAction>) {
  return async (server: HttpServer) => {
    server.get('/pausar', async (_request, reply) => sendPage(reply, pausePage({})));
    for (const [path, action] of [
      ['/pausar', 'pause'],
      ['/reanudar', 'resume'],
    ] as const) {
      server.post(path, async ({ apiUser, ip: address, id: requestId }, reply) => {
        const actor = apiUser?.username ?? '';
        const record = (outcome: 'ok' | 'failed') =>
          auditLog.record({ action: `queue.${action}`, actor, address, requestId, outcome });
        await queue[action]().catch(async (error: unknown) => {
          await record('failed');
          throw error;
        });
        await record('ok');
        return reply.redirect('/', 303);
      });
    }
  };
}
