import type { OwnData } from '#shared/errors/own-data.ts';
import { duration, number } from '#shared/pages/format.ts';
import { ACTIONS } from '#shared/rooms.ts';
import type { AccountOutcome } from '#shared/stores/heartbeat.ts';
import type { SystemState } from '../system-state.ts';
import { type Diagnosis, note } from './diagnosis.ts';

/** So many accounts, and this share of those that use an action, are no accident. */
const LEAST = 3;
const SHARE = 0.5;
/** While nobody is refused for so long, and somebody is served, the data are right again, in ms. */
const RECENT_MS = 30_000;

const WHAT: Readonly<Record<OwnData, string>> = {
  branches: '¿están bien las sucursales?',
  coverage: '¿está bien la cobertura?',
  'postal-codes': '¿está bien el catálogo de códigos postales?',
  tariff: '¿está bien la tarifa?',
  users: '¿están bien los usuarios?',
};

/**
 * Names data of ours for which many accounts are refused: each of them is told that its own request is wrong. An account counts
 * once, by its last request.
 */
export function* diagnoseOwnData(state: SystemState): Generator<Diagnosis> {
  const named = new Set<OwnData>();
  for (const [action, { accountsDo }] of Object.entries(ACTIONS)) {
    if (accountsDo === 'none') continue;
    const accounts = lastOutcomes(state, action);
    const refused = accounts.flatMap(({ codigo, data, at }) =>
      codigo && data ? [{ codigo, data, at }] : [],
    );
    const served = Math.max(0, ...accounts.filter(({ codigo }) => !codigo).map(({ at }) => at));
    for (const [data, some] of Map.groupBy(refused, ({ data }) => data)) {
      if (some.length < LEAST || some.length < SHARE * accounts.length || named.has(data)) continue;
      const [last] = some.toSorted((one, other) => other.at - one.at);
      if (!last || (served > last.at && state.at - last.at > RECENT_MS)) continue;
      named.add(data);
      const who = `${number(some.length)} de ${number(accounts.length)} cuentas que ${accountsDo}`;
      const text = `A ${who} se les responde ${last.codigo}: ${WHAT[data]}${loadOf(state, data)}`;
      yield note(`own-data-${data}`, 'owndata', text);
    }
  }
}

/** Returns the last outcome of each account over all processes. */
function lastOutcomes({ services }: SystemState, action: string): AccountOutcome[] {
  const last = new Map<string, AccountOutcome>();
  for (const one of services.flatMap(({ accounts }) => accounts?.[action] ?? []))
    if (one.at >= (last.get(one.account)?.at ?? 0)) last.set(one.account, one);
  return [...last.values()];
}

/** ` Se cargó hace 3 min, por ana`, if that is known. */
function loadOf({ at, services }: SystemState, data: OwnData): string {
  const [load] = services
    .flatMap(({ directory, tariffLoad }) => {
      if (data === 'tariff') return tariffLoad ?? [];
      const loaded = data === 'branches' || data === 'coverage' ? directory?.[data]?.at : undefined;
      return loaded === undefined ? [] : [{ at: loaded, by: '' }];
    })
    .sort((one, other) => other.at - one.at);
  return load ? ` Última carga: hace ${duration(at - load.at)}${load.by && `, por ${load.by}`}` : '';
}
