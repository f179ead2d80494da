import { FAILING } from '#shared/observability/thresholds.ts';
import { duration, number } from '#shared/pages/format.ts';
import { ACTIONS, USER_ACTIONS, type UserAction } from '#shared/rooms.ts';
import type { ActionReport } from '#shared/stores/heartbeat.ts';
import type { SystemState } from '../system-state.ts';
import { type Diagnosis, type Effect, grave, type LastSeen } from './diagnosis.ts';

const RECENT_MS = 60_000 * FAILING.recentMinutes;

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
    if (!trouble) continue;
    const { last, lastBegan, since, notOk, all, where, codigo } = trouble;
    if (state.at - last > RECENT_MS || lastBegan <= (harmed[action] ?? 0)) continue;
    const { fails, section } = ACTIONS[action];
    const what = `${number(notOk)} de ${number(all)}${where}${codigo && `, la última: ${codigo}`}`;
    const text = `${fails} desde hace ${duration(state.at - since)}: ${what}`;
    const causes: Effect[] = [
      `${action}-tried`,
      // What waits for webhooks that are not sent is late.
      ...(ACTIONS[action].service === 'webhooks' ? (['webhooks'] as const) : []),
    ];
    yield { ...grave(`${action}-fails`, section, text), effectOn: [action], causes };
  }
}

/** Names the actions whose outcomes every process of their service reports. */
export function reportedActions({ services }: SystemState): UserAction[] {
  return USER_ACTIONS.filter((action) => {
    const own = services.filter(({ service }) => service === ACTIONS[action].service);
    return own.length > 0 && own.every(({ actions }) => actions?.[action]);
  });
}

function troubleIn(state: SystemState, action: UserAction): Trouble | undefined {
  const failing = state.services.flatMap((process) => {
    const { failing, lastNotOk = 0 } = process.actions?.[action] ?? {};
    return failing ? [{ ...failing, last: lastNotOk, process, tail: tailOf(failing) }] : [];
  });
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
