import type { DependencyState } from '#shared/stores/heartbeat.ts';
import { bytes, count, duration } from './format.ts';
import type { QueueState } from './queue-state.ts';

/** `grave`: labels are not printed, or may be lost. `section`: anchor of a section of k8s/runbook.md, at `/runbook`. */
export type Diagnosis = { grave: boolean; text: string; section: string };

/** Age of a late label, and p99 of slow labels, as in `k8s/monitoring/alerts.yml`. */
const LATE_MS = 5_000;
const SLOW_MS = 1_000;
/** A start usually takes half a second. */
const LONG_START_MS = 5_000;
/** Share of Redis's memory. */
const NEARLY_FULL = 0.8;

const RECENT_MINUTES = 5;
/** Grave share of refused labels, as in `k8s/monitoring/alerts.yml`. */
const MANY_REFUSED = 0.01;

/** Label workers have a diagnosis of their own. */
const SERVICES = ['api', 'branches', 'webhooks'] as const;
/** The name on the page, and the section of the runbook for the outage. */
const DEPENDENCIES = {
  mongodb: { name: 'MongoDB', section: 'mongodown' },
  redis: { name: 'El Redis de la cola', section: 'redisdown' },
  'label-cache': { name: 'El Redis de las etiquetas', section: 'redisdown' },
  branches: { name: 'El servicio branches', section: 'branchesdown' },
  webhooks: { name: 'El servicio webhooks', section: 'servicedown' },
  tariff: { name: 'El registro de tarifas', section: 'tariffstale' },
} as const;
type Dependency = keyof typeof DEPENDENCIES;

/**
 * Finds problems. Grave problems come first. Among them, what labels depend on stands before the labels, so that a cause
 * stands above its effects. An unknown value is a problem too, because the page reports that all is well if it has no
 * problem.
 */
export function diagnose(state: QueueState): Diagnosis[] {
  const found = [
    ...diagnoseRedis(state),
    ...diagnoseServices(state),
    ...diagnoseDependencies(state),
    ...diagnoseLabelCache(state),
    ...diagnoseWorkers(state),
    ...diagnoseQueue(state),
    ...diagnoseRequests(state),
    ...diagnoseWebhooks(state),
  ];
  return found.sort((one, other) => Number(other.grave) - Number(one.grave));
}

/** Lists what `diagnose` examined, and how many processes reported. */
export function lookedAt({ workers, services, webhooks }: QueueState): string[] {
  const processes = SERVICES.map(
    (name) => `${name} (${services.filter((one) => one.service === name).length})`,
  );
  return [
    ...processes,
    `label-worker (${workers.length}) con su Chromium`,
    'MongoDB',
    'el Redis de la cola',
    'el Redis de las etiquetas',
    'la lectura de las tarifas',
    'la cola',
    'las solicitudes de etiquetas de los últimos 5 min',
    ...(webhooks ? ['los webhooks atrasados o apagados'] : []),
  ];
}

function* diagnoseQueue(state: QueueState): Generator<Diagnosis> {
  const { paused, oldestMs = 0, latency } = state;
  if (paused) yield grave('queuepaused', 'La cola está en pausa: no se imprime nada');
  if (oldestMs > LATE_MS) {
    const wait = `etiquetas que esperan desde hace ${duration(oldestMs)}`;
    const stuck = `Los label-workers están vivos, pero no imprimen: hay ${wait}`;
    yield grave('labelswait', isStuck(state) ? stuck : `Hay ${wait}`);
  }
  if (latency && latency.p99 > SLOW_MS) {
    yield warning('labelsslow', `Las etiquetas tardan: una de cada cien, más de ${duration(latency.p99)}`);
  }
}

function* diagnoseRequests(state: QueueState): Generator<Diagnosis> {
  const { printed, failed, refused } = recentCounts(state);
  if (failed > 0) {
    const labels = count(failed, 'etiqueta falló', 'etiquetas fallaron');
    yield warning('labelsfail', `${labels} en los últimos 5 min`);
  }
  if (refused > 0) {
    const requests = count(refused, 'solicitud de etiqueta rechazada', 'solicitudes de etiquetas rechazadas');
    const text = `${requests} con 503 en los últimos 5 min`;
    const many = refused / (printed + failed + refused) > MANY_REFUSED;
    yield many ? grave('labelsrefused', text) : warning('labelsrefused', text);
  }
}

/** A failed label is counted by its request, by its job, or by both. */
function recentCounts({ minutes, recentFailures }: QueueState) {
  const recent = minutes.slice(-RECENT_MINUTES);
  const sum = (outcome: 'printed' | 'failed' | 'refused') =>
    recent.reduce((total, minute) => total + minute[outcome], 0);
  return {
    printed: sum('printed'),
    failed: Math.max(sum('failed'), recentFailures),
    refused: sum('refused'),
  };
}

/** Returns whether workers may print, but have printed nothing since the oldest label was asked for. */
function isStuck({ at, paused, workers, oldestMs = 0, latency }: QueueState): boolean {
  return workers.length > 0 && !paused && (latency?.last ?? 0) < at - oldestMs;
}

function* diagnoseWorkers({ workers }: QueueState): Generator<Diagnosis> {
  if (workers.length === 0) yield grave('noworkers', 'No hay ningún label-worker vivo: no se imprime nada');
  for (const { at, host, chromium } of workers) {
    const { state, since } = chromium;
    if (state === 'running' || (state === 'starting' && at - since < LONG_START_MS)) continue;
    const what = state === 'starting' ? 'está arrancando' : 'no arranca';
    yield grave('chromiumrestarts', `El Chromium de ${host} ${what}, desde hace ${duration(at - since)}`);
  }
}

function* diagnoseServices({ services }: QueueState): Generator<Diagnosis> {
  for (const name of SERVICES) {
    if (services.some(({ service }) => service === name)) continue;
    yield grave('servicedown', `Ningún proceso de ${name} da señales`);
  }
}

function* diagnoseDependencies(state: QueueState): Generator<Diagnosis> {
  for (const [dependency, { name, section }] of Object.entries(DEPENDENCIES)) {
    const reports = reportsOf(state, dependency as Dependency);
    const down = reports.filter((process) => process.state === 'down');
    if (reports.length === 0)
      yield warning(section, `${name}: no se sabe si responde, pues ningún proceso lo dice`);
    if (down.length > 0) yield grave(section, `${name} no responde a ${processesOf(down, reports)}`);
  }
}

type Report = { service: string; state: DependencyState };

/** Returns a dependency's state as each process reports it, the dashboard included. */
function reportsOf({ services, workers, reached }: QueueState, dependency: Dependency): Report[] {
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
  const names = [...new Set(some.map(({ service }) => service))].map((name) => {
    const [part, whole] = [countOf(some, name), countOf(all, name)];
    return part === whole ? name : `${name} (${part} de ${whole})`;
  });
  return names.join(', ');
}

function* diagnoseRedis(state: QueueState): Generator<Diagnosis> {
  const { usedBytes, maxBytes, noeviction, replica, writesFail } = state.redis;
  const share = maxBytes > 0 ? usedBytes / maxBytes : 0;
  const use = `usa ${bytes(usedBytes)} de ${bytes(maxBytes)}`;
  const refused = reportsOf(state, 'redis').some((process) => process.state === 'read-only');
  if (replica || share >= 1 || refused) {
    const why = replica ? ', pues es una réplica' : share >= 1 ? `, pues ${use}` : '';
    yield grave('redisrefuseswrites', `El Redis de la cola rechaza escrituras${why}: no se imprime nada`);
  } else if (share > NEARLY_FULL) {
    yield grave('redisfull', `El Redis de la cola está casi lleno: ${use}`);
  }
  if (!noeviction) {
    yield grave(
      'redismaydropjobs',
      'El Redis de la cola puede perder etiquetas: su maxmemory-policy no es noeviction',
    );
  }
  if (writesFail) yield grave('redisdisk', 'El Redis de la cola no puede escribir en su disco');
}

function* diagnoseLabelCache(state: QueueState): Generator<Diagnosis> {
  const reports = reportsOf(state, 'label-cache');
  const refused = reports.filter((process) => process.state === 'read-only');
  if (refused.length > 0) {
    const text = `El Redis de las etiquetas rechaza escrituras de ${processesOf(refused, reports)}`;
    yield grave('redisrefuseswrites', `${text}: no se entrega ninguna etiqueta nueva`);
  }
  if (state.workers.some(({ labelCacheEvicts }) => labelCacheEvicts === false)) {
    const text = 'El Redis de las etiquetas las rechaza cuando está lleno: su maxmemory-policy es noeviction';
    yield grave('labelcachepolicy', text);
  }
}

function* diagnoseWebhooks({ webhooks, reached }: QueueState): Generator<Diagnosis> {
  if (!webhooks && reached.mongodb === 'ok') {
    yield warning('mongodown', 'No se sabe cuántos webhooks están atrasados: MongoDB tarda');
  }
  const { behind = 0, disabled = 0 } = webhooks ?? {};
  if (behind > 0) {
    const late = count(behind, 'webhook tiene', 'webhooks tienen');
    yield warning('webhooksbehind', `${late} eventos que esperan desde hace más de 10 min`);
  }
  if (disabled > 0) {
    const stopped = count(disabled, 'webhook se apagó', 'webhooks se apagaron');
    yield warning('webhooksbehind', `${stopped} en las últimas 24 h, pues su servidor no los toma`);
  }
}

function grave(section: string, text: string): Diagnosis {
  return { grave: true, section, text };
}

function warning(section: string, text: string): Diagnosis {
  return { grave: false, section, text };
}
