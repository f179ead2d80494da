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
  const found = [...diagnoseQueue(state), ...diagnoseWorkers(state), ...diagnoseRedis(state)];
  return found.sort((one, other) => Number(other.grave) - Number(one.grave));
}

function* diagnoseQueue(state: QueueState): Generator<Diagnosis> {
  const { paused, oldestMs = 0, latency, recentFailures } = state;
  if (paused) {
    yield { grave: true, text: 'La cola está en pausa: no se imprime nada', section: 'queuepaused' };
  }
  if (oldestMs > LATE_MS) {
    const wait = `hay etiquetas que esperan desde hace ${duration(oldestMs)}`;
    const text = isStuck(state)
      ? `Los label-workers están vivos, pero no imprimen: ${wait}`
      : `H${wait.slice(1)}`;
    yield { grave: true, text, section: 'labelswait' };
  }
  if (latency && latency.p99 > SLOW_MS) {
    const text = `Las etiquetas tardan: una de cada cien, más de ${duration(latency.p99)}`;
    yield { grave: false, text, section: 'labelsslow' };
  }
  if (recentFailures > 0) {
    const text = `${count(recentFailures, 'etiqueta falló', 'etiquetas fallaron')} en los últimos 5 min`;
    yield { grave: false, text, section: 'labelsfail' };
  }
}

/** Tells whether workers are alive and may print, and yet nothing was printed since the oldest label waits. */
function isStuck({ at, paused, workers, oldestMs = 0, latency }: QueueState): boolean {
  return workers.length > 0 && !paused && (latency?.last ?? 0) < at - oldestMs;
}

function* diagnoseWorkers({ at, workers }: QueueState): Generator<Diagnosis> {
  if (workers.length === 0) {
    const text = 'No hay ningún label-worker vivo: no se imprime nada';
    yield { grave: true, text, section: 'noworkers' };
  }
  for (const { host, chromium } of workers) {
    const { state, since } = chromium;
    if (state === 'running' || (state === 'starting' && at - since < LONG_START_MS)) continue;
    const what = state === 'starting' ? 'está arrancando' : 'no arranca';
    const text = `El Chromium de ${host} ${what}, desde hace ${duration(at - since)}`;
    yield { grave: true, text, section: 'chromiumrestarts' };
  }
}

function* diagnoseRedis({ redis }: QueueState): Generator<Diagnosis> {
  const { usedBytes, maxBytes, noeviction, replica, writesFail } = redis;
  const full = maxBytes > 0 && usedBytes >= maxBytes;
  if (full || replica) {
    const why = replica ? 'es una réplica' : `usa ${bytes(usedBytes)} de ${bytes(maxBytes)}`;
    const text = `Redis rechaza escrituras, pues ${why}: nadie puede entrar ni pedir etiquetas`;
    yield { grave: true, text, section: 'redisrefuseswrites' };
  } else if (maxBytes > 0 && usedBytes > NEARLY_FULL * maxBytes) {
    const text = `Redis está casi lleno: usa ${bytes(usedBytes)} de ${bytes(maxBytes)}`;
    yield { grave: true, text, section: 'redisfull' };
  }
  if (!noeviction) {
    const text = 'Redis puede perder etiquetas: su maxmemory-policy no es noeviction';
    yield { grave: true, text, section: 'redismaydropjobs' };
  }
  if (writesFail) {
    yield { grave: true, text: 'Redis no puede escribir en su disco', section: 'redisdisk' };
  }
}
