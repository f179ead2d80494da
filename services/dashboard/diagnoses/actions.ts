import type { SlowCounts } from '#shared/actions/slow-share.ts';
import { USER_ACTIONS, type UserAction } from '#shared/actions/user-actions.ts';
import { CREATIONS_SLOW, FAILING } from '#shared/observability/thresholds.ts';
import type { ActionReport } from '#shared/stores/heartbeat.ts';
import { duration, number } from '../format.ts';
import type { SystemState } from '../system-state.ts';
import { type Diagnosis, type Effect, grave, type LastSeen, RECOVERY_MS, warning } from './diagnosis.ts';

/** What fails, and the section of the runbook. */
const ACTIONS: Readonly<Record<UserAction, { fails: string; section: string }>> = {
  login: { fails: 'Entrar a la API falla', section: 'loginsfail' },
  create: { fails: 'Crear guías falla', section: 'creationsfail' },
  quote: { fails: 'Cotizar falla', section: 'quotesfail' },
  print: { fails: 'Imprimir etiquetas falla', section: 'labelsfail' },
  event: { fails: 'Registrar eventos falla', section: 'eventsfail' },
  manifest: { fails: 'Hacer manifiestos falla', section: 'manifestsfail' },
  read: { fails: 'Consultar guías, eventos o cobertura falla', section: 'requestsfail' },
  webhook: { fails: 'Mandar webhooks falla', section: 'webhooksfail' },
};

const MINUTE_MS = 60_000;
const RECENT_MS = MINUTE_MS * FAILING.recentMinutes;

/** Most requests fail within this time. */
const LONGEST_MS = 10_000;

/** `last`: when the action failed last; `lastBegan`: when the last request that failed began. In ms since 1970. */
type Trouble = {
  last: number;
  lastBegan: number;
  since: number;
  notOk: number;
  all: number;
  where: string;
  codigo: string;
};

/**
 * Names the actions of users that fail, by the rule of `FAILING`, until requests succeed again. What began while a cause was seen that
 * was named is left out.
 */
export function* diagnoseActions(state: SystemState, { harmed }: LastSeen): Generator<Diagnosis> {
  for (const action of USER_ACTIONS) {
    const trouble = troubleIn(state, action);
    if (!trouble) {
      if (action === 'create') yield* diagnoseSlowCreations(state, harmed.create);
      continue;
    }
    const { last, lastBegan, since, notOk, all, where, codigo } = trouble;
    if (state.at - last > RECENT_MS || lastBegan <= (harmed[action] ?? 0)) continue;
    const { fails, section } = ACTIONS[action];
    const what = `${number(notOk)} de ${number(all)}${where}${codigo && `, la última: ${codigo}`}`;
    const text = `${fails} desde hace ${duration(state.at - since)}: ${what}`;
    const causes: Effect[] = [
      `${action}-tried`,
      // What waits for webhooks that are not sent is late.
      ...(action === 'webhook' ? (['webhooks'] as const) : []),
    ];
    yield { ...grave(`${action}-fails`, section, text), effectOn: [action], causes };
  }
}

/** Until so long after a cause, creations are among the last ones that waited for its end, in ms. */
const WAITED_MS = 20_000 + RECOVERY_MS;

function* diagnoseSlowCreations({ at, services }: SystemState, harmed = 0): Generator<Diagnosis> {
  const { slowMs, share, windowMinutes } = CREATIONS_SLOW;
  const reports = services.flatMap(({ actions }) => actions?.create?.slow ?? []);
  const sum = (of: keyof SlowCounts) => reports.reduce((total, one) => total + one[of], 0);
  const [slow, all] = [sum('slow'), sum('all')];
  const isSlow = slow >= Math.max(FAILING.least, share * all) && sum('lastSlow') >= share * sum('lastAll');
  if (!isSlow || at - harmed <= WAITED_MS) return;
  const text = `Crear guías tarda: ${number(slow)} de ${number(all)}, más de ${duration(slowMs)} en los últimos ${windowMinutes} min`;
  yield { ...warning('create-slow', 'errorbudgetburns', text), effectOn: ['create'] };
}

/** Names the actions whose outcomes every process of their service reports. */
export function reportedActions({ services }: SystemState): UserAction[] {
  return USER_ACTIONS.filter((action) => {
    const own = services.filter(({ service }) => service === (action === 'webhook' ? 'webhooks' : 'api'));
    return own.length > 0 && own.every(({ actions }) => actions?.[action]);
  });
}

function troubleIn(state: SystemState, action: UserAction): Trouble | undefined {
  const reports = state.services.flatMap((process) => {
    const report = process.actions?.[action];
    return report ? [{ ...report, process }] : [];
  });
  const failing = reports.flatMap(({ failing, lastNotOk = 0, process }) =>
    failing ? [{ ...failing, last: lastNotOk, process, tail: tailOf(failing) }] : [],
  );
  if (failing.length === 0) return troubleOfTheDead(state, action, reports);
  const sum = (read: (one: (typeof failing)[number]) => number) =>
    failing.reduce((total, one) => total + read(one), 0);
  const notOk = sum((one) => one.notOk);
  const isNow = sum(({ tail }) => tail.notOk) >= FAILING.lastShare * sum(({ tail }) => tail.all);
  if (notOk < FAILING.least || !(isNow || isFailing(state.actions[action]))) return undefined;
  const [first] = failing.toSorted((one, other) => other.last - one.last);
  if (!first) return undefined;
  const { service, host } = first.process;
  const processes = state.services.filter((process) => process.service === service).length;
  const some =
    failing.length === 1
      ? ` en ${host}, uno de ${number(processes)} procesos de ${service}`
      : ` en ${number(failing.length)} de ${number(processes)} procesos de ${service}`;
  return {
    last: first.last,
    lastBegan: Math.max(...failing.map(({ lastBegan }) => lastBegan)),
    since: Math.min(...failing.map(({ since }) => since)),
    notOk,
    all: sum(({ all }) => all),
    where: failing.length < processes ? some : '',
    codigo: first.codigo,
  };
}

/** Returns whether so many failed within half an hour as `FAILING` says. */
function isFailing({ ok, notOk }: { ok: number; notOk: number }): boolean {
  return notOk >= FAILING.least && notOk >= FAILING.share * (ok + notOk);
}

function tailOf({ lastNotOk: notOk, lastAll: all }: NonNullable<ActionReport['failing']>) {
  return { notOk, all };
}

/**
 * Finds failures in the minutes of Redis that no living process tells of: those who answered them are gone. A success after
 * the last of them ends them. Of a process up to 1.8.0, when that was is known to the minute.
 */
function troubleOfTheDead(
  state: SystemState,
  action: UserAction,
  reports: readonly ActionReport[],
): Trouble | undefined {
  const { ok, minutes, lastNotOk } = state.actions[action];
  const told = Math.max(0, ...reports.map(({ lastNotOk = 0 }) => lastNotOk));
  const untold = minutes.filter(({ at }) => at > told);
  const [first, last] = [untold[0]?.at, untold.at(-1)?.at];
  if (first === undefined || last === undefined) return undefined;
  const notOk = untold.reduce((sum, one) => sum + one.notOk, 0);
  const end = lastNotOk >= last ? lastNotOk : last + MINUTE_MS;
  const isOver = reports.some(({ lastOk = 0 }) => lastOk >= end);
  if (isOver || !isFailing({ ok, notOk })) return undefined;
  const where = ` en media hora, en procesos que ya no están`;
  return { last, lastBegan: last - LONGEST_MS, since: first, notOk, all: ok + notOk, where, codigo: '' };
}
