import { FAILING, LABELS_SLOW, LABELS_WAIT } from '#shared/observability/thresholds.ts';
import { duration, number } from '../format.ts';
import type { SystemState } from '../system-state.ts';
import { type Diagnosis, grave, type LastSeen, RECOVERY_MS, warning } from './diagnosis.ts';

/** Labels are slow no more once so many times as many were not as there were for each slow one. */
const OVER_AFTER = 3;
/** And once none was slow for so long, in ms: at a hundred a second, many are quick between two slow ones. */
const OVER_AFTER_MS = 15_000;

export function* diagnoseQueue(state: SystemState, { harmed }: LastSeen): Generator<Diagnosis> {
  const { at, paused, oldestMs = 0, latency } = state;
  if (paused) {
    const text = 'La cola está en pausa: no se imprime nada';
    yield { ...grave('paused', 'queuepaused', text), causes: ['print'] };
  }
  if (oldestMs > LABELS_WAIT.ageMs) {
    const wait = `etiquetas que esperan desde hace ${duration(oldestMs)}`;
    const stuck = `Los label-workers están vivos, pero no imprimen: hay ${wait}`;
    const text = isStuck(state) ? stuck : `Hay ${wait}`;
    yield { ...grave('labels-wait', 'labelswait', text), effectOn: ['print'] };
  }
  const { slowMs, share, windowMinutes } = LABELS_SLOW;
  const { slow, labels, sinceSlow, lastSlow = 0 } = latency ?? { slow: 0, labels: 0, sinceSlow: 0 };
  // Until the window is over after a cause, labels are slow that waited for its end.
  const isExplained = at - (harmed.print ?? 0) <= 60_000 * windowMinutes + RECOVERY_MS;
  // The window would keep the line on long after the cure.
  const isOver = sinceSlow > (OVER_AFTER * labels) / slow && at - lastSlow >= OVER_AFTER_MS;
  if (slow >= Math.max(FAILING.least, share * labels) && !isOver && !isExplained) {
    const text = `Las etiquetas tardan: ${number(slow)} de ${number(labels)}, más de ${duration(slowMs)} en los últimos ${windowMinutes} min`;
    yield { ...warning('labels-slow', 'labelsslow', text), effectOn: ['print'] };
  }
}

/** Returns whether workers may print, but have printed nothing since the oldest label was asked for. */
function isStuck({ at, paused, workers, oldestMs = 0, latency }: SystemState): boolean {
  return workers.length > 0 && !paused && (latency?.last ?? 0) < at - oldestMs;
}
