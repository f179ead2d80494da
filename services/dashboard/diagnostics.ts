import type { DependencyState, LostProcess } from '#shared/stores/heartbeat.ts';
import type { LateWebhook } from '#shared/stores/webhook-store.ts';
import { bytes, count, duration, number } from './format.ts';
import type { QueueState } from './queue-state.ts';

/**
 * `grave`: labels are not printed, or may be lost. `nota`: a customer's own matter, such as a receiver that fails. A note is
 * shown, but is no problem: among ten thousand customers there always is one.
 */
const LEVELS = ['grave', 'atencion', 'nota'] as const;
export type Level = (typeof LEVELS)[number];

export type Diagnosis = {
  /** The same as long as the problem lasts, while its text changes. */
  id: string;
  level: Level;
  text: string;
  /** Anchor of a section of k8s/runbook.md, at `/runbook`. */
  section: string;
  /** `cause`: labels are refused, late or fail because of it. `effect`: labels are. */
  labels?: 'cause' | 'effect';
};

/** What follows from a cause. It is no line of its own while its cause is one. */
type Effect = 'labels' | 'heartbeats' | 'unreported' | 'branches' | 'webhooks' | 'late-webhooks' | 'tariff';
type Finding = Diagnosis & { explains?: readonly Effect[]; effects?: readonly Effect[] };

/** What has ended, in ms since 1970 by the clock of Redis; 0 if it is not known. */
export type Ended = {
  /** The last cause for which labels were refused, late or failed. */
  labelsCause: number;
  /** The outage of the queue's Redis. */
  redis: number;
};

/** Age of a late label, and p99 of slow labels, as in `k8s/monitoring/alerts.yml`. */
const LATE_MS = 5_000;
const SLOW_MS = 1_000;
/** A start usually takes half a second. */
const LONG_START_MS = 5_000;
/** Share of Redis's memory. */
const NEARLY_FULL = 0.8;

const RECENT_MINUTES = 5;
const RECENT_MS = 60_000 * RECENT_MINUTES;
/** Grave share of refused labels, as in `k8s/monitoring/alerts.yml`. */
const MANY_REFUSED = 0.01;
/** Within this time after an outage all processes write again, and labels that waited for its end have failed. */
const RECOVERY_MS = 15_000;
/** Not kept as a problem: it is the end of one. */
export const REDIS_RETURNS = 'redis-returns';
/** Refusals of an account within a minute from which it is named: one a second, as of a client that does not slow down. */
const FLOOD = 60;
/** From so many failing webhooks on, if they are also such a share of all, the fault may be ours. */
const MANY_FAILING = { count: 3, share: 0.1 };

/** Label workers have a diagnosis of their own. */
export const SERVICES = ['api', 'branches', 'webhooks'] as const;
/** In the order in which they are named. */
const PROCESSES = [...SERVICES, 'label-worker', 'dashboard'];
const SERVICE_OUTAGES = {
  api: { section: 'servicedown', explains: ['unreported', 'labels'] },
  branches: { section: 'branchesdown', explains: ['branches'] },
  webhooks: { section: 'servicedown', explains: ['webhooks', 'late-webhooks'] },
} as const;

/** The name on the page, and the section of the runbook for the outage. */
const DEPENDENCIES = {
  mongodb: { name: 'MongoDB', section: 'mongodown', effects: [] },
  redis: { name: 'El Redis de la cola', section: 'redisdown', effects: [] },
  'label-cache': { name: 'El Redis de las etiquetas', section: 'redisdown', effects: [] },
  branches: { name: 'El servicio branches', section: 'branchesdown', effects: ['branches'] },
  webhooks: { name: 'El servicio webhooks', section: 'servicedown', effects: ['webhooks'] },
  tariff: { name: 'El registro de tarifas', section: 'tariffstale', effects: ['tariff'] },
} as const;
type Dependency = keyof typeof DEPENDENCIES;

/**
 * Finds problems. Grave problems come first. What follows from a problem that is named is left out, so that each cause is
 * one line. An unknown value is a problem too, because the page reports that all is well if it has no problem.
 */
export function diagnose(state: QueueState, ended: Ended = { labelsCause: 0, redis: 0 }): Diagnosis[] {
  const found: Finding[] = [
    ...diagnoseRedis(state),
    ...diagnoseReturn(state, ended),
    ...diagnoseServices(state),
    ...diagnoseDependencies(state),
    ...diagnoseLabelCache(state),
    ...diagnoseWorkers(state),
    ...diagnoseQueue(state, ended),
    ...diagnoseRequests(state, ended),
    ...diagnoseWebhooks(state),
    ...diagnoseAccounts(state),
    ...diagnoseAuditLog(state),
  ];
  const explained = new Set(found.flatMap(({ explains = [] }) => explains));
  return found
    .filter(({ effects = [] }) => !effects.some((effect) => explained.has(effect)))
    .sort((one, other) => LEVELS.indexOf(one.level) - LEVELS.indexOf(other.level))
    .map(({ explains = [], effects = [], ...diagnosis }) => ({
      ...diagnosis,
      ...(explains.includes('labels') && { labels: 'cause' as const }),
      ...(effects.includes('labels') && { labels: 'effect' as const }),
    }));
}

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

/** Lists what `diagnose` examined, and how many processes reported. */
export function lookedAt(state: QueueState): string[] {
  const { workers, services, webhooks } = state;
  const processes = SERVICES.map(
    (name) => `${name} (${services.filter((one) => one.service === name).length})`,
  );
  const isReported = (dependency: Dependency) => reportsOf(state, dependency).length > 0;
  return [
    ...processes,
    `label-worker (${workers.length}) con su Chromium`,
    'MongoDB',
    'el Redis de la cola',
    ...(isReported('label-cache') ? ['el Redis de las etiquetas'] : []),
    ...(isReported('tariff') ? ['la lectura de las tarifas'] : []),
    'la cola',
    'las solicitudes de etiquetas de los últimos 5 min',
    ...(webhooks ? ['los webhooks que fallan, atrasados o apagados'] : []),
    ...(services.some(({ limited }) => limited) ? ['las cuentas que pasan su límite'] : []),
  ];
}

function* diagnoseQueue(state: QueueState, { labelsCause }: Ended): Generator<Finding> {
  const { at, paused, oldestMs = 0, latency } = state;
  if (paused) {
    const text = 'La cola está en pausa: no se imprime nada';
    yield { ...grave('paused', 'queuepaused', text), explains: ['labels'] };
  }
  if (oldestMs > LATE_MS) {
    const wait = `etiquetas que esperan desde hace ${duration(oldestMs)}`;
    const stuck = `Los label-workers están vivos, pero no imprimen: hay ${wait}`;
    const text = isStuck(state) ? stuck : `Hay ${wait}`;
    yield { ...grave('labels-wait', 'labelswait', text), effects: ['labels'] };
  }
  // Until five minutes after a cause, the figure is of labels that waited for its end.
  if (latency && latency.p99 > SLOW_MS && at - labelsCause > RECENT_MS + RECOVERY_MS) {
    const text = `Las etiquetas tardan: una de cada cien, más de ${duration(latency.p99)}`;
    yield { ...warning('labels-slow', 'labelsslow', text), effects: ['labels'] };
  }
}

function* diagnoseRequests(state: QueueState, { labelsCause }: Ended): Generator<Finding> {
  const { printed, failed, refused } = recentCounts(state, labelsCause + RECOVERY_MS);
  if (failed > 0) {
    const labels = count(failed, 'etiqueta falló', 'etiquetas fallaron');
    const text = `${labels} en los últimos 5 min`;
    yield { ...warning('labels-fail', 'labelsfail', text), effects: ['labels'] };
  }
  if (refused > 0) {
    const requests = count(refused, 'solicitud de etiqueta rechazada', 'solicitudes de etiquetas rechazadas');
    const text = `${requests} con 503 en los últimos 5 min`;
    const many = refused / (printed + failed + refused) > MANY_REFUSED;
    const level = many ? grave : warning;
    yield { ...level('labels-refused', 'labelsrefused', text), effects: ['labels'] };
  }
}

/**
 * A failed label is counted by its request, by its job, or by both.
 * @param since in ms since 1970: what went wrong before has a cause that was named.
 */
function recentCounts({ at, minutes, recentFailures, failures }: QueueState, since: number) {
  const recent = minutes
    .slice(-RECENT_MINUTES)
    .filter((minute) => minute.at > since || since < at - RECENT_MS);
  const sum = (outcome: 'printed' | 'failed' | 'refused') =>
    recent.reduce((total, minute) => total + minute[outcome], 0);
  const jobs = since < at - RECENT_MS ? recentFailures : failures.filter((job) => job.at > since).length;
  return { printed: sum('printed'), failed: Math.max(sum('failed'), jobs), refused: sum('refused') };
}

/** Returns whether workers may print, but have printed nothing since the oldest label was asked for. */
function isStuck({ at, paused, workers, oldestMs = 0, latency }: QueueState): boolean {
  return workers.length > 0 && !paused && (latency?.last ?? 0) < at - oldestMs;
}

function* diagnoseWorkers({ workers, lost }: QueueState): Generator<Finding> {
  if (workers.length === 0) {
    const text = 'No hay ningún label-worker vivo: no se imprime nada';
    yield { ...grave('no-workers', 'noworkers', text), effects: ['heartbeats'], explains: ['labels'] };
  } else {
    yield* diagnoseLost('label-worker', 'noworkers', lost);
  }
  const prints = workers.some(({ chromium }) => chromium.state === 'running');
  for (const [state, what] of [
    ['failed', 'no arranca'],
    ['starting', 'está arrancando'],
  ] as const) {
    const broken = workers
      .filter(({ at, chromium }) => chromium.state === state && at - chromium.since >= BROKEN_AFTER_MS[state])
      .sort((one, other) => one.chromium.since - other.chromium.since);
    const [first] = broken;
    if (!first) continue;
    const others = broken.length > 1 ? ` y de ${number(broken.length - 1)} más` : '';
    const since = duration(first.at - first.chromium.since);
    const text = `El Chromium de ${first.host}${others} ${what}, desde hace ${since}`;
    yield {
      ...grave(`chromium-${state}`, 'chromiumrestarts', text),
      ...(!prints && { explains: ['labels'] }),
    };
  }
}

/** A Chromium that failed is not well at once; one that starts needs some time. */
const BROKEN_AFTER_MS = { failed: Number.NEGATIVE_INFINITY, starting: LONG_START_MS };

/** Heartbeats are written again within seconds after the queue's Redis is back. Until then nobody is missed. */
function* diagnoseReturn({ at, services, workers }: QueueState, { redis }: Ended): Generator<Finding> {
  const missing = [
    ...SERVICES.filter((name) => !services.some(({ service }) => service === name)),
    ...(workers.length === 0 ? ['label-worker'] : []),
  ];
  if (missing.length === 0 || at - redis > RECOVERY_MS) return;
  const text = `El Redis de la cola acaba de volver: falta que den señales ${missing.join(', ')}`;
  yield { ...warning(REDIS_RETURNS, 'redisdown', text), explains: ['heartbeats', 'labels'] };
}

function* diagnoseServices({ services, lost }: QueueState): Generator<Finding> {
  for (const name of SERVICES) {
    const { section, explains } = SERVICE_OUTAGES[name];
    if (services.some(({ service }) => service === name)) yield* diagnoseLost(name, section, lost);
    else {
      const text = `Ningún proceso de ${name} da señales`;
      yield { ...grave(name, section, text), effects: ['heartbeats'], explains };
    }
  }
}

/** Names processes of a service that give no sign, while others do. */
function* diagnoseLost(service: string, section: string, lost: readonly LostProcess[]): Generator<Finding> {
  const own = lost.filter((process) => process.service === service);
  const [last] = own;
  if (!last) return;
  const { host, pid, forMs } = last;
  const which = `${host}, pid ${pid}`;
  const text =
    own.length === 1
      ? `Un proceso de ${service} no da señales desde hace ${duration(forMs)}: ${which}`
      : `${number(own.length)} procesos de ${service} no dan señales; el último, desde hace ${duration(forMs)}: ${which}`;
  yield { ...warning(`lost-${service}`, section, text), effects: ['heartbeats'] };
}

function* diagnoseDependencies(state: QueueState): Generator<Finding> {
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
    ...(misses('webhooks', 'dashboard') ? (['webhooks', 'late-webhooks'] as const) : []),
  ];
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
  const inOrder = PROCESSES.filter((name) => countOf(some, name) > 0);
  const names = inOrder.map((name) => {
    const [part, whole] = [countOf(some, name), countOf(all, name)];
    return part === whole ? name : `${name} (${part} de ${whole})`;
  });
  return names.join(', ');
}

function* diagnoseRedis(state: QueueState): Generator<Finding> {
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

function* diagnoseLabelCache(state: QueueState): Generator<Finding> {
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

function* diagnoseWebhooks({ webhooks }: QueueState): Generator<Finding> {
  const effects = ['late-webhooks'] as const;
  if (!webhooks) {
    const text = 'No se sabe cuántos webhooks están atrasados: MongoDB tarda';
    yield { ...warning('webhooks-unknown', 'mongodown', text), effects };
    return;
  }
  const { active, failing, behind, worst, disabled } = webhooks;
  if (behind > 0) {
    const late = count(behind, 'webhook tiene', 'webhooks tienen');
    const who = worst ? `; el más atrasado, ${nameOf(worst)}` : '';
    const text = `${late} eventos que esperan desde hace más de 10 min${who}`;
    yield { ...warning('webhooks-behind', 'webhooksbehind', text), effects };
  }
  if (failing) {
    const isMany = failing.count >= MANY_FAILING.count && failing.count > MANY_FAILING.share * active;
    const one = `Falla el webhook ${nameOf(failing.worst)}`;
    const some = `Fallan ${number(failing.count)} webhooks desde hace menos de 10 min; el primero, ${nameOf(failing.worst)}`;
    const text = isMany
      ? `${some}. Son muchos: ¿falla nuestra salida a internet?`
      : failing.count === 1
        ? one
        : some;
    yield { ...(isMany ? warning : note)('webhooks-failing', 'webhooksbehind', text), effects };
  }
  if (disabled > 0) {
    const stopped = count(disabled, 'webhook se apagó', 'webhooks se apagaron');
    const text = `${stopped} en las últimas 24 h, pues su servidor no los toma`;
    yield warning('webhooks-disabled', 'webhooksbehind', text);
  }
}

/** `de tienda (pedidos.example), desde hace 12 s: Respondio 500`. */
function nameOf({ account, host, forMs, reason }: LateWebhook): string {
  return `de ${account} (${host}), desde hace ${duration(forMs)}${reason && `: ${reason}`}`;
}

/** An account over its limit is refused, and costs the others nothing. */
function* diagnoseAccounts({ services }: QueueState): Generator<Finding> {
  const refused = new Map<string, number>();
  for (const one of services.flatMap(({ limited = [] }) => limited))
    refused.set(one.account, (refused.get(one.account) ?? 0) + one.refused);
  const floods = [...refused].filter(([, requests]) => requests >= FLOOD).sort(([, a], [, b]) => b - a);
  const [worst] = floods;
  if (!worst) return;
  const others = floods.length > 1 ? `; cuentas que también lo pasan: ${number(floods.length - 1)}` : '';
  const requests = `${number(worst[1])} de sus solicitudes recibieron 429 en el último minuto`;
  const text = `La cuenta ${worst[0]} pasa su límite: ${requests}${others}`;
  yield note('flood', 'accountfloods', text);
}

function* diagnoseAuditLog({ auditWaiting }: QueueState): Generator<Finding> {
  if (auditWaiting === 0) return;
  const actions = count(auditWaiting, 'acción de este tablero espera', 'acciones de este tablero esperan');
  const text = `${actions} a MongoDB para entrar en la bitácora; su registro ya las tiene`;
  yield note('audit-waits', 'mongodown', text);
}

function grave(id: string, section: string, text: string): Diagnosis {
  return { id, level: 'grave', section, text };
}

function warning(id: string, section: string, text: string): Diagnosis {
  return { id, level: 'atencion', section, text };
}

function note(id: string, section: string, text: string): Diagnosis {
  return { id, level: 'nota', section, text };
}
