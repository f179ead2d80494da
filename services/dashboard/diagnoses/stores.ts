import type { DependencyState } from '#shared/stores/heartbeat.ts';
import { bytes } from '../format.ts';
import type { QueueState } from '../queue-state.ts';
import { type Diagnosis, type Effect, type Finding, grave, warning } from './finding.ts';
import { SERVICES } from './processes.ts';

/** Share of Redis's memory. */
const NEARLY_FULL = 0.8;

/** In the order in which they are named. */
const PROCESSES = [...SERVICES, 'label-worker', 'dashboard'];

/** The name on the page, and the section of the runbook for the outage. */
const DEPENDENCIES = {
  mongodb: { name: 'MongoDB', section: 'mongodown', effects: [] },
  redis: { name: 'El Redis de la cola', section: 'redisdown', effects: [] },
  'label-cache': { name: 'El Redis de las etiquetas', section: 'redisdown', effects: [] },
  branches: { name: 'El servicio branches', section: 'branchesdown', effects: ['branches'] },
  webhooks: { name: 'El servicio webhooks', section: 'servicedown', effects: ['webhooks'] },
  tariff: { name: 'El registro de tarifas', section: 'tariffstale', effects: ['tariff'] },
} as const;

export type Dependency = keyof typeof DEPENDENCIES;

/** Names the stores that the dashboard itself does not reach, for pages that cannot read more. */
export function diagnoseOwn(reached: Record<string, DependencyState>): Diagnosis[] {
  return (['mongodb', 'redis'] as const).flatMap((store): Diagnosis[] => {
    const { name, section } = DEPENDENCIES[store];
    const id = store;
    if (reached[store] === 'down')
      return [{ ...grave(id, section, `${name} no responde al tablero`), labels: 'cause' }];
    if (reached[store] === 'read-only')
      return [
        { ...grave('redis-read-only', 'redisrefuseswrites', `${name} rechaza escrituras`), labels: 'cause' },
      ];
    return [];
  });
}

export function* diagnoseDependencies(state: QueueState): Generator<Finding> {
  for (const dependency of Object.keys(DEPENDENCIES) as Dependency[]) {
    const { name, section, effects } = DEPENDENCIES[dependency];
    const reports = reportsOf(state, dependency);
    const down = reports.filter((process) => process.state === 'down');
    if (reports.length === 0) {
      const text = `${name}: no se sabe si responde, pues ningún proceso lo dice`;
      yield { ...warning(dependency, section, text), effects: ['unreported', 'heartbeats', ...effects] };
    }
    if (down.length > 0) {
      const text = `${name} no responde a ${processesOf(down, reports)}`;
      yield { ...grave(dependency, section, text), effects, explains: effectsOf(dependency, down) };
    }
  }
}

/** Returns what follows when these processes do not reach a dependency. */
function effectsOf(dependency: Dependency, down: readonly Report[]): Effect[] {
  if (dependency === 'redis' || dependency === 'label-cache') return ['labels'];
  if (dependency !== 'mongodb') return [];
  const misses = (...names: string[]) => down.some(({ service }) => names.includes(service));
  return [
    ...(misses('api', 'dashboard') ? (['labels', 'tariff'] as const) : []),
    ...(misses('branches') ? (['branches'] as const) : []),
    ...(misses('webhooks', 'dashboard') ? (['webhooks'] as const) : []),
  ];
}

type Report = { service: string; state: DependencyState };

/** Returns a dependency's state as each process reports it, the dashboard included. */
export function reportsOf({ services, workers, reached }: QueueState, dependency: Dependency): Report[] {
  const processes = [
    ...services,
    ...workers.map(({ dependencies }) => ({ service: 'label-worker', dependencies })),
    { service: 'dashboard', dependencies: reached },
  ];
  return processes.flatMap(({ service, dependencies }) => {
    const state = dependencies?.[dependency];
    return state === undefined ? [] : [{ service, state }];
  });
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

export function* diagnoseRedis(state: QueueState): Generator<Finding> {
  const { usedBytes, maxBytes, noeviction, replica, writesFail } = state.redis;
  const share = maxBytes > 0 ? usedBytes / maxBytes : 0;
  const use = `usa ${bytes(usedBytes)} de ${bytes(maxBytes)}`;
  const refused = reportsOf(state, 'redis').some((process) => process.state === 'read-only');
  if (replica || share >= 1 || refused) {
    const why = replica ? ', pues es una réplica' : share >= 1 ? `, pues ${use}` : '';
    const text = `El Redis de la cola rechaza escrituras${why}: no se imprime nada`;
    // If it refuses the dashboard's writes too, no process can write that it is alive.
    const refusesAll = replica || share >= 1 || state.reached.redis === 'read-only';
    const explains: Effect[] = refusesAll ? ['labels', 'heartbeats'] : ['labels'];
    yield { ...grave('redis-read-only', 'redisrefuseswrites', text), explains };
  } else if (share > NEARLY_FULL) {
    yield grave('redis-full', 'redisfull', `El Redis de la cola está casi lleno: ${use}`);
  }
  if (!noeviction) {
    const text = 'El Redis de la cola puede perder etiquetas: su maxmemory-policy no es noeviction';
    yield grave('redis-evicts', 'redismaydropjobs', text);
  }
  if (writesFail) yield grave('redis-disk', 'redisdisk', 'El Redis de la cola no puede escribir en su disco');
}

export function* diagnoseLabelCache(state: QueueState): Generator<Finding> {
  const reports = reportsOf(state, 'label-cache');
  const refused = reports.filter((process) => process.state === 'read-only');
  if (refused.length > 0) {
    const who = processesOf(refused, reports);
    const text = `El Redis de las etiquetas rechaza escrituras de ${who}: no se entrega ninguna etiqueta nueva`;
    yield { ...grave('label-cache-read-only', 'redisrefuseswrites', text), explains: ['labels'] };
  }
  if (state.workers.some(({ labelCacheEvicts }) => labelCacheEvicts === false)) {
    const text = 'El Redis de las etiquetas las rechaza cuando está lleno: su maxmemory-policy es noeviction';
    yield grave('label-cache-policy', 'labelcachepolicy', text);
  }
}
