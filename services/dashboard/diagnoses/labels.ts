import { FAILING } from '#shared/actions/user-actions.ts';
import { duration, number } from '../format.ts';
import { SLOW_MS, type SystemState } from '../system-state.ts';
import { type Diagnosis, grave, type LastSeen, RECENT_MS, RECOVERY_MS, warning } from './diagnosis.ts';

/** Age of a late label, as in `k8s/monitoring/alerts.yml`. */
const LATE_MS = 5_000;

/** Share of slow labels, the p99 of `k8s/monitoring/alerts.yml`. One or two of few are no problem. */
const MANY_SLOW = 0.01;

export function* diagnoseQueue(state: SystemState, { causes }: LastSeen): Generator<Diagnosis> {
  const { at, paused, oldestMs = 0, latency } = state;
  if (paused) {
    const text = 'La cola está en pausa: no se imprime nada';
    yield { ...grave('paused', 'queuepaused', text), causes: ['print'] };
  }
  if (oldestMs > LATE_MS) {
    const wait = `etiquetas que esperan desde hace ${duration(oldestMs)}`;
    const stuck = `Los label-workers están vivos, pero no imprimen: hay ${wait}`;
    const text = isStuck(state) ? stuck : `Hay ${wait}`;
    yield { ...grave('labels-wait', 'labelswait', text), effectOn: ['print'] };
  }
  // Until five minutes after a cause, the figure is of labels that waited for its end.
  const isExplained = at - (causes.print ?? 0) <= RECENT_MS + RECOVERY_MS;
  if (latency && latency.slow >= Math.max(FAILING.least, MANY_SLOW * latency.labels) && !isExplained) {
    const { slow, labels } = latency;
    const text = `Las etiquetas tardan: ${number(slow)} de ${number(labels)}, más de ${duration(SLOW_MS)} en los últimos 5 min`;
    yield { ...warning('labels-slow', 'labelsslow', text), effectOn: ['print'] };
  }
}

/** Returns whether workers may print, but have printed nothing since the oldest label was asked for. */
function isStuck({ at, paused, workers, oldestMs = 0, latency }: SystemState): boolean {
  return workers.length > 0 && !paused && (latency?.last ?? 0) < at - oldestMs;
}
