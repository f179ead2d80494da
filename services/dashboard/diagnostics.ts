import type { RedisState } from '#shared/stores/redis-state.ts';
import { bytes, count, duration } from './format.ts';
import type { QueueState } from './queue-state.ts';

/**
 * One thing that is wrong. `grave`: labels are not printed, or may be lost. `section`: the anchor of the section of
 * k8s/runbook.md that says what to do.
 */
export type Diagnosis = { grave: boolean; text: string; section: string };

/** From when on a waiting label counts as late, and from which p99 on labels count as slow, in ms: as in `k8s/monitoring/alerts.yml`. */
const LATE_MS = 5_000;
const SLOW_MS = 1_000;
/** A start of Chromium takes half a second; from when on one that takes longer is told of, in ms. */
const LONG_START_MS = 5_000;
/** Share of Redis's memory. */
const NEARLY_FULL = 0.8;

/** Finds what is wrong, the grave first. */
export function diagnose(state: QueueState): Diagnosis[] {
  const found = [
    ...diagnoseQueue(state),
    ...diagnoseWorkers(state),
    ...diagnoseRedis(state.redis),
    ...diagnoseWebhooks(state),
  ];
  return found.sort((one, other) => Number(other.grave) - Number(one.grave));
}

function* diagnoseQueue(state: QueueState): Generator<Diagnosis> {
  const { paused, oldestMs = 0, latency, recentFailures } = state;
  if (paused) yield grave('queuepaused', 'La cola está en pausa: no se imprime nada');
  if (oldestMs > LATE_MS) {
    const wait = `etiquetas que esperan desde hace ${duration(oldestMs)}`;
    const stuck = `Los label-workers están vivos, pero no imprimen: hay ${wait}`;
    yield grave('labelswait', isStuck(state) ? stuck : `Hay ${wait}`);
  }
  if (latency && latency.p99 > SLOW_MS) {
    yield warning('labelsslow', `Las etiquetas tardan: una de cada cien, más de ${duration(latency.p99)}`);
  }
  if (recentFailures > 0) {
    const labels = count(recentFailures, 'etiqueta falló', 'etiquetas fallaron');
    yield warning('labelsfail', `${labels} en los últimos 5 min`);
  }
}

/** Tells whether workers are alive and may print, and yet nothing was printed since the oldest label waits. */
function isStuck({ at, paused, workers, oldestMs = 0, latency }: QueueState): boolean {
  return workers.length > 0 && !paused && (latency?.last ?? 0) < at - oldestMs;
}

function* diagnoseWorkers({ at, workers }: QueueState): Generator<Diagnosis> {
  if (workers.length === 0) yield grave('noworkers', 'No hay ningún label-worker vivo: no se imprime nada');
  for (const { host, chromium } of workers) {
    const { state, since } = chromium;
    if (state === 'running' || (state === 'starting' && at - since < LONG_START_MS)) continue;
    const what = state === 'starting' ? 'está arrancando' : 'no arranca';
    yield grave('chromiumrestarts', `El Chromium de ${host} ${what}, desde hace ${duration(at - since)}`);
  }
}

function* diagnoseRedis(redis: RedisState): Generator<Diagnosis> {
  const { usedBytes, maxBytes, noeviction, replica, writesFail } = redis;
  const share = maxBytes > 0 ? usedBytes / maxBytes : 0;
  const use = `usa ${bytes(usedBytes)} de ${bytes(maxBytes)}`;
  if (replica || share >= 1) {
    const why = replica ? 'es una réplica' : use;
    const text = `Redis rechaza escrituras, pues ${why}: no se imprime nada`;
    yield grave('redisrefuseswrites', text);
  } else if (share > NEARLY_FULL) {
    yield grave('redisfull', `Redis está casi lleno: ${use}`);
  }
  if (!noeviction) {
    yield grave('redismaydropjobs', 'Redis puede perder etiquetas: su maxmemory-policy no es noeviction');
  }
  if (writesFail) yield grave('redisdisk', 'Redis no puede escribir en su disco');
}

function* diagnoseWebhooks({ webhooks }: QueueState): Generator<Diagnosis> {
  const { behind = 0, off = 0 } = webhooks ?? {};
  if (behind > 0) {
    const late = count(behind, 'webhook tiene', 'webhooks tienen');
    yield warning('webhooksbehind', `${late} eventos que esperan desde hace más de 10 min`);
  }
  if (off > 0) {
    const stopped = count(off, 'webhook se apagó', 'webhooks se apagaron');
    yield warning('webhooksbehind', `${stopped} en las últimas 24 h, pues su servidor no los toma`);
  }
}

function grave(section: string, text: string): Diagnosis {
  return { grave: true, section, text };
}

function warning(section: string, text: string): Diagnosis {
  return { grave: false, section, text };
}
