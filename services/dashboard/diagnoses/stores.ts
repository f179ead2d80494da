import { REDIS_FULL } from '#shared/observability/thresholds.ts';
import { bytes } from '#shared/pages/format.ts';
import { ACTIONS, USER_ACTIONS } from '#shared/rooms.ts';
import type { HealthState } from '#shared/stores/dependencies.ts';
import type { Heartbeat, ServiceHeartbeat } from '#shared/stores/heartbeat.ts';
import type { SystemState } from '../system-state.ts';
import {
  BY_API,
  BY_BRANCHES,
  BY_WEBHOOKS,
  type Diagnosis,
  type Effect,
  grave,
  WRITING,
  warning,
} from './diagnosis.ts';
import { SERVICES } from './processes.ts';

/** In the order in which they are named. */
const PROCESSES = [...SERVICES, 'label-worker', 'dashboard'];

/** What fails without the Redis of the queue, and without that of the labels. */
const BY_REDIS = ['login', 'print'] as const satisfies Effect[];

/** Nobody's request fails without it: notices wait. */
const levelOf = (dependency: Dependency) => (dependency === 'mail-server' ? warning : grave);

/** The name on the page, and the section of the runbook for the outage. */
const DEPENDENCIES = {
  mongodb: { name: 'MongoDB', section: 'mongodown', effectOn: [] },
  redis: { name: 'El Redis de la cola', section: 'redisdown', effectOn: [] },
  'label-cache': { name: 'El Redis de las etiquetas', section: 'redisdown', effectOn: [] },
  branches: { name: 'El servicio branches', section: 'branchesdown', effectOn: ['branches'] },
  webhooks: { name: 'El servicio webhooks', section: 'servicedown', effectOn: ['webhooks'] },
  tariff: { name: 'El registro de tarifas', section: 'tariffstale', effectOn: ['tariff'] },
  'evidence-bucket': { name: 'El bucket de evidencia', section: 'evidencebucketdown', effectOn: [] },
  'mail-server': { name: 'El servidor de correo', section: 'mailserverdown', effectOn: [] },
} as const;

type Refusal = { what: string; effectOn: readonly Effect[]; section?: string };
/** How it refuses a process. `section`: if it is not that of its outage. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  mongodb: { what: 'no permite lo suyo a', effectOn: [] },
  'evidence-bucket': { what: 'rechaza las credenciales de', effectOn: [] },
  'mail-server': { what: 'rechaza lo que manda', effectOn: [] },
};
const OF_TOKEN: Refusal = {
  what: 'rechaza el token interno de',
  effectOn: ['token'],
  section: 'secretsdiffer',
};

export type Dependency = keyof typeof DEPENDENCIES;

/** Names the stores that the dashboard itself does not reach, for pages that cannot read more. */
export function diagnoseOwn(reached: Record<string, HealthState>): Diagnosis[] {
  return (['mongodb', 'redis'] as const).flatMap((store): Diagnosis[] => {
    const { name, section } = DEPENDENCIES[store];
    const causes = store === 'mongodb' ? BY_API : BY_REDIS;
    if (reached[store] === 'down')
      return [{ ...grave(store, section, `${name} no responde al tablero`), causes }];
    if (reached[store] === 'refused')
      return [grave(`${store}-refuses`, section, `${name} no permite lo suyo al tablero`)];
    if (reached[store] === 'read-only')
      return [{ ...grave('redis-read-only', 'redisrefuseswrites', `${name} rechaza escrituras`), causes }];
    return [];
  });
}

export function* diagnoseDependencies(state: SystemState): Generator<Diagnosis> {
  for (const dependency of Object.keys(DEPENDENCIES) as Dependency[]) {
    const { name, section, effectOn } = DEPENDENCIES[dependency];
    const reports = reportsOf(state, dependency);
    const isDoubtful = (process: Report) => dependency === 'mongodb' && process.isServing;
    const down = reports.filter((process) => process.state === 'down' && !isDoubtful(process));
    if (down.length > 0) {
      const text = `${name} no responde a ${processesOf(down, reports)}`;
      yield {
        ...levelOf(dependency)(dependency, section, text),
        effectOn,
        causes: effectsOf(dependency, down),
      };
    }
    const refused = reports.filter((process) => process.state === 'refused');
    if (refused.length > 0) {
      const { what, effectOn, section: about = section } = REFUSALS[dependency] ?? OF_TOKEN;
      const text = `${name} ${what} ${processesOf(refused, reports)}`;
      yield {
        ...levelOf(dependency)(`${dependency}-refuses`, about, text),
        effectOn,
        causes: effectsOf(dependency, refused),
      };
    }
  }
}

/** Returns what follows when these processes do not reach a dependency. */
function effectsOf(dependency: Dependency, down: readonly Report[]): Effect[] {
  if (dependency === 'redis') return [...BY_REDIS];
  if (dependency === 'label-cache') return ['print'];
  if (dependency === 'branches') return [...BY_BRANCHES];
  if (dependency === 'evidence-bucket') return ['evidence'];
  if (dependency !== 'mongodb') return [];
  const misses = (...names: string[]) => down.some(({ service }) => names.includes(service));
  return [
    ...(misses('api') ? ([...BY_API, 'api'] as const) : []),
    ...(misses('api', 'dashboard') ? (['tariff'] as const) : []),
    ...(misses('branches') ? (['branches', ...BY_BRANCHES] as const) : []),
    ...(misses('webhooks', 'dashboard') ? BY_WEBHOOKS : []),
  ];
}

/** `isServing`: users who need MongoDB get what they ask for, of this process if it is an api. */
type Report = { service: string; state: HealthState; isServing: boolean };

/** Returns a dependency's state as each process reports it, the dashboard included. */
export function reportsOf(state: SystemState, dependency: Dependency): Report[] {
  const { services, workers, reached, at } = state;
  const apis = services.filter(({ service }) => service === 'api');
  const areServed = apis.length > 0 && apis.every((process) => servesUsers(process, at));
  const processes = [
    ...services.map((process) => ({
      service: process.service as string,
      states: statesOf(process),
      isServing: process.service === 'api' ? servesUsers(process, at) : areServed,
    })),
    ...workers.map((process) => ({ service: 'label-worker', states: statesOf(process), isServing: false })),
    { service: 'dashboard', states: reached, isServing: areServed },
  ];
  return processes.flatMap(({ states, ...process }) => {
    const state = states[dependency];
    return state === undefined ? [] : [{ ...process, state }];
  });
}

/** Users who were served so long ago say nothing of MongoDB any more, in ms. */
const SERVED_MS = 5_000;

/**
 * Returns whether MongoDB does what the users of an api ask for: what they wrote last was stored just now. A health check can be the
 * only one that waits, on a connection that hangs.
 */
function servesUsers({ actions = {} }: ServiceHeartbeat, at: number): boolean {
  const reports = WRITING.flatMap((action) => actions[action] ?? []);
  const lastOk = Math.max(0, ...reports.map((report) => report.lastOk ?? 0));
  return at - lastOk < SERVED_MS && reports.every((report) => (report.lastNotOk ?? 0) < lastOk);
}

/** Returns what a process reaches, by its heartbeat. */
export function statesOf({
  dependencies = {},
  refusedBy = [],
  fullDisks = [],
  publicStores = [],
}: Pick<Heartbeat, 'dependencies' | 'refusedBy' | 'fullDisks' | 'publicStores'>): Readonly<
  Record<string, HealthState>
> {
  return {
    ...dependencies,
    ...Object.fromEntries(refusedBy.map((name) => [name, 'refused' as const])),
    ...Object.fromEntries(fullDisks.map((name) => [name, 'disk-full' as const])),
    ...Object.fromEntries(publicStores.map((name) => [name, 'public' as const])),
  };
}

/** Names a bucket that anybody can read. No api with such a bucket is ready. */
export function* diagnosePublicBucket(state: SystemState): Generator<Diagnosis> {
  const reports = reportsOf(state, 'evidence-bucket');
  const open = reports.filter((process) => process.state === 'public');
  if (open.length === 0) return;
  const text = `Cualquiera puede leer el bucket de evidencia: no atiende ${processesOf(open, reports)}`;
  const causes: Effect[] = open.length === reports.length ? [...BY_API, 'api'] : ['evidence'];
  yield { ...grave('evidence-bucket-public', 'evidencebucketdown', text), causes };
}

/** Names MongoDB while it answers, and does not take what is written, or answers users and not every health check. */
export function* diagnoseMongo(state: SystemState): Generator<Diagnosis> {
  const reports = reportsOf(state, 'mongodb');
  if (reports.some((process) => process.state === 'disk-full')) {
    const text = 'El disco de MongoDB está lleno: no se crean guías, ni se registran eventos';
    // It is one disk, whoever has met it first.
    yield { ...grave('mongodb-disk', 'volumenearlyfull', text), causes: [...WRITING, ...BY_WEBHOOKS] };
    return;
  }
  const unsteady = reports.filter(
    ({ state, isServing }) => isServing && (state === 'down' || state === 'read-only'),
  );
  if (unsteady.length > 0) {
    const text = `MongoDB no siempre responde a ${processesOf(unsteady, reports)}; lo último que escribieron los usuarios se guardó`;
    yield { ...warning('mongodb-unsteady', 'mongodown', text), causes: ['webhooks', 'tariff'] };
  }
  const refused = reports.filter((process) => process.state === 'read-only' && !process.isServing);
  if (refused.length === 0) return;
  const writes = (service: string) => refused.some((process) => process.service === service);
  const what = writes('api') ? ': no se crean guías, ni se registran eventos' : '';
  const causes: Effect[] = [...(writes('api') ? WRITING : []), ...(writes('webhooks') ? BY_WEBHOOKS : [])];
  const text = `MongoDB rechaza escrituras de ${processesOf(refused, reports)}${what}`;
  yield { ...grave('mongodb-read-only', 'mongodown', text), causes };
}

/** What relies on the unique indexes of a collection, so that the api refuses it while one is missing. */
const RELY_ON_UNIQUE: Readonly<Record<string, { what: string; causes: readonly Effect[] }>> =
  Object.fromEntries(
    USER_ACTIONS.flatMap((action) => {
      const { unique } = ACTIONS[action];
      return unique ? [[unique.collection, { what: `: ${unique.refused}`, causes: [action] }]] : [];
    }),
  );

/** Names the indexes that MongoDB does not have, and why. */
export function* diagnoseIndexes({ services }: SystemState): Generator<Diagnosis> {
  const missing = new Map(
    services
      .flatMap(({ missingIndexes = [] }) => missingIndexes)
      .map((each) => [`${each.collection}.${each.index}`, each]),
  );
  for (const [id, { collection, index, isUnique, duplicates }] of missing) {
    const { what = '', causes = [] } = (isUnique && RELY_ON_UNIQUE[collection]) || {};
    const why = duplicates ? `, pues ${duplicates.join(' y ')} repiten un valor` : '';
    const text = `Falta el índice ${index} de ${collection} en MongoDB${why}${what}`;
    const level = causes.length > 0 ? grave : warning;
    yield { ...level(`index-${id}`, 'indexmissing', text), causes };
  }
}

/** Names the services of some processes: `api (1 de 2), dashboard`. */
function processesOf(some: readonly Report[], all: readonly Report[]): string {
  const countOf = (processes: readonly Report[], name: string) =>
    processes.filter(({ service }) => service === name).length;
  const inOrder = PROCESSES.filter((name) => countOf(some, name) > 0);
  const names = inOrder.map((name) => {
    const [part, whole] = [countOf(some, name), countOf(all, name)];
    return part === whole ? name : `${name} (${part} de ${whole})`;
  });
  return names.join(', ');
}

/** Returns whether the queue's Redis refuses the dashboard's writes too, so that no process can write that it is alive. */
export function refusesAllWrites({ redis, reached }: Pick<SystemState, 'redis' | 'reached'>): boolean {
  return redis.replica || isFull(redis) || reached.redis === 'read-only';
}

export function* diagnoseRedis(state: SystemState): Generator<Diagnosis> {
  const { usedBytes, maxBytes, noeviction, replica, writesFail } = state.redis;
  const share = usedShare(state.redis);
  const use = `usa ${bytes(usedBytes)} de ${bytes(maxBytes)}`;
  const refused = reportsOf(state, 'redis').some((process) => process.state === 'read-only');
  if (replica || isFull(state.redis) || refused) {
    const why = replica ? ', pues es una réplica' : isFull(state.redis) ? `, pues ${use}` : '';
    const text = `El Redis de la cola rechaza escrituras${why}: no se imprime nada`;
    const causes: Effect[] = refusesAllWrites(state) ? [...BY_REDIS, 'heartbeats'] : [...BY_REDIS];
    yield { ...grave('redis-read-only', 'redisrefuseswrites', text), causes };
  } else if (share > REDIS_FULL.share) {
    yield grave('redis-full', 'redisfull', `El Redis de la cola está casi lleno: ${use}`);
  }
  if (!noeviction) {
    const text = 'El Redis de la cola puede perder etiquetas: su maxmemory-policy no es noeviction';
    yield grave('redis-evicts', 'redismaydropjobs', text);
  }
  if (writesFail) yield grave('redis-disk', 'redisdisk', 'El Redis de la cola no puede escribir en su disco');
}

function usedShare({ usedBytes, maxBytes }: SystemState['redis']): number {
  return maxBytes > 0 ? usedBytes / maxBytes : 0;
}

const isFull = (redis: SystemState['redis']) => usedShare(redis) >= 1;

export function* diagnoseLabelCache(state: SystemState): Generator<Diagnosis> {
  const reports = reportsOf(state, 'label-cache');
  const refused = reports.filter((process) => process.state === 'read-only');
  if (refused.length > 0) {
    const who = processesOf(refused, reports);
    const text = `El Redis de las etiquetas rechaza escrituras de ${who}: no se entrega ninguna etiqueta nueva`;
    yield { ...grave('label-cache-read-only', 'redisrefuseswrites', text), causes: ['print'] };
  }
  if (state.workers.some(({ labelCacheEvicts }) => labelCacheEvicts === false)) {
    const text = 'El Redis de las etiquetas las rechaza cuando está lleno: su maxmemory-policy es noeviction';
    yield grave('label-cache-policy', 'labelcachepolicy', text);
  }
}
