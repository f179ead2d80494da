import { count, duration } from '../format.ts';
import type { QueueState } from '../queue-state.ts';
import {
  type Finding,
  grave,
  type LastSeen,
  RECENT_MINUTES,
  RECENT_MS,
  RECOVERY_MS,
  warning,
} from './finding.ts';

/** Age of a late label, and p99 of slow labels, as in `k8s/monitoring/alerts.yml`. */
const LATE_MS = 5_000;

const SLOW_MS = 1_000;

/** Grave share of refused labels, as in `k8s/monitoring/alerts.yml`. */
const MANY_REFUSED = 0.01;

export function* diagnoseQueue(state: QueueState, { labelsCause }: LastSeen): Generator<Finding> {
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

export function* diagnoseRequests(state: QueueState, { labelsCause }: LastSeen): Generator<Finding> {
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
