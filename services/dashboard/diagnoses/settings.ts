import { count } from '#shared/pages/format.ts';
import { type Difference, differences, type Process } from '#shared/stores/shared-settings.ts';
import type { SystemState } from '../system-state.ts';
import {
  BY_API,
  BY_BRANCHES,
  BY_WEBHOOKS,
  type Diagnosis,
  type Effect,
  grave,
  warning,
} from './diagnosis.ts';

/** What each secret is for, and what follows where it differs. Users are refused one by one: no cause of failures. */
const SECRETS: Readonly<Record<string, { what: string; causes: readonly Effect[] }>> = {
  JWT_SECRET: { what: 'rechaza los tokens que dan los otros, y los otros los suyos', causes: [] },
  INTERNAL_TOKEN: { what: 'no se entienden', causes: ['token'] },
  WEBHOOK_SECRETS_KEY: {
    what: 'no se descifran los secretos de los webhooks',
    causes: BY_WEBHOOKS,
  },
  NOTICES_SECRET: { what: 'no se respeta a todos los que no quieren avisos', causes: [] },
};

/** Longer than a rollout, in which processes with the former and the new value of a setting run side by side. */
const ROLLOUT_MS = 900_000;

/** Processes may reach one Redis by different names. */
const LABELS_LATE = ': si no llevan al mismo Redis, algunas etiquetas tardan';

/** Names processes whose secrets or settings are not those of the others. A secret that is being rotated is no difference. */
export function* diagnoseSettings(state: SystemState): Generator<Diagnosis> {
  yield* diagnoseSecrets(state);
  const processes = [...state.services, state.self].filter(
    ({ startedAt }) => state.at - startedAt > ROLLOUT_MS,
  );
  const found = differences(processes).filter((one) => !one.isSecret && one.setting !== 'MONGODB_URI');
  for (const [first, ...more] of Map.groupBy(found, ({ odd }) => odd.id).values() as Iterable<
    [Difference, ...Difference[]]
  >) {
    const also = more.length > 0 ? ` (y ${more.map(({ setting }) => setting).join(', ')})` : '';
    const text = `El ${first.setting}${also} de ${nameOf(first.odd)} no es el de ${processesOf(first.others)}`;
    const hasCache = [first, ...more].some(({ setting }) => setting === 'LABEL_CACHE_URL');
    yield warning(`differs-${first.setting}`, 'secretsdiffer', `${text}${hasCache ? LABELS_LATE : ''}`);
  }
}

function* diagnoseSecrets({ services, self }: SystemState): Generator<Diagnosis> {
  for (const { setting, isSecret, odd, others } of differences([...services, self])) {
    if (setting === 'MONGODB_URI') {
      const text = `El nombre de la base de datos de ${nameOf(odd)} no es el de ${processesOf(others)}`;
      yield { ...grave(`differs-${setting}`, 'secretsdiffer', text), causes: BY_API };
    }
    if (!isSecret) continue;
    const text = `El ${setting} de ${nameOf(odd)} no es el de ${processesOf(others)}`;
    const { what = '', causes = [] } = SECRETS[setting] ?? {};
    const isBranches = [odd, ...others].some(({ service }) => service === 'branches');
    const failing = setting === 'INTERNAL_TOKEN' && isBranches ? BY_BRANCHES : [];
    yield {
      ...grave(`differs-${setting}`, 'secretsdiffer', `${text}: ${what}`),
      causes: [...causes, ...failing],
    };
  }
}

function nameOf({ service, host, pid }: Process): string {
  return `${service} en ${host}, pid ${pid},`;
}

/** `2 procesos de api, 1 proceso de webhooks`. */
function processesOf(others: Difference['others']): string {
  const names = [...new Set(others.map(({ service }) => service))].sort();
  return names
    .map((name) => {
      const own = others.filter(({ service }) => service === name).length;
      return `${count(own, 'proceso', 'procesos')} de ${name}`;
    })
    .join(', ');
}
