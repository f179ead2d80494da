import { bytes, count, duration } from '../views/format.ts';
import type { QueueState } from './queue-state.ts';

/** `grave`: labels are not printed, or may be lost. `section`: of k8s/runbook.md, as its link is written. */
export type Problem = { grave: boolean; text: string; section: string };

/** When a label has waited long, and when labels are slow, in ms: as in `k8s/monitoring/alerts.yml`. */
const LATE = 5_000;
const SLOW = 1_000;
/** Share of Redis's memory. */
const NEARLY_FULL = 0.8;

/** What is wrong now, the worst first. */
export function problemsOf(state: QueueState): Problem[] {
  const found = [...queueProblems(state), ...workerProblems(state), ...redisProblems(state)];
  return found.sort((one, other) => Number(other.grave) - Number(one.grave));
}

function* queueProblems({ paused, oldestMs = 0, latency, recentFailures }: QueueState): Generator<Problem> {
  if (paused) {
    yield { grave: true, text: 'La cola está en pausa: no se imprime nada', section: 'queuepaused' };
  }
  if (oldestMs > LATE) {
    const text = `Hay etiquetas que esperan desde hace ${duration(oldestMs)}`;
    yield { grave: true, text, section: 'labelswait' };
  }
  if (latency && latency.p99 > SLOW) {
    const text = `Las etiquetas tardan: una de cada cien, más de ${duration(latency.p99)}`;
    yield { grave: false, text, section: 'labelsslow' };
  }
  if (recentFailures > 0) {
    const text = `${count(recentFailures, 'etiqueta falló', 'etiquetas fallaron')} en los últimos 5 min`;
    yield { grave: false, text, section: 'labelsfail' };
  }
}

function* workerProblems({ workers }: QueueState): Generator<Problem> {
  if (workers.length === 0) {
    const text = 'No hay ningún label-worker vivo: no se imprime nada';
    yield { grave: true, text, section: 'noworkers' };
  }
  for (const { host, chromium } of workers) {
    if (!chromium)
      yield { grave: true, text: `El Chromium de ${host} no arranca`, section: 'chromiumrestarts' };
  }
}

function* redisProblems({ redis }: QueueState): Generator<Problem> {
  const { usedBytes, maxBytes, noeviction, writesFail } = redis;
  if (maxBytes > 0 && usedBytes > NEARLY_FULL * maxBytes) {
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
