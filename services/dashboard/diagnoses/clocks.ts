import { CLOCKS_DIFFER } from '#shared/observability/thresholds.ts';
import { duration, number } from '#shared/pages/format.ts';
import type { SystemState } from '../system-state.ts';
import { type Diagnosis, warning } from './diagnosis.ts';

/**
 * Names processes whose clock is wrong, and stores that disagree. What all processes share goes by MongoDB's clock. While it is unknown,
 * that of Redis stands in.
 */
export function* diagnoseClocks(state: SystemState): Generator<Diagnosis> {
  const { services, workers, self, mongoAheadMs } = state;
  if (mongoAheadMs !== undefined && Math.abs(mongoAheadMs) > CLOCKS_DIFFER.ms) {
    const text = `El reloj de MongoDB va ${aheadOrBehind(mongoAheadMs)} del reloj del Redis de la cola`;
    yield { ...warning('clocks-stores', 'clocksdiffer', text), causes: ['clock'] };
  }
  const wrong = [...services, ...workers, self]
    .map((process) => ({
      ...process,
      service: 'service' in process ? process.service : 'label-worker',
      aheadMs: process.clockAheadMs - (mongoAheadMs ?? 0),
    }))
    .filter(({ aheadMs }) => Math.abs(aheadMs) > CLOCKS_DIFFER.ms)
    .sort((one, other) => Math.abs(other.aheadMs) - Math.abs(one.aheadMs));
  const [worst] = wrong;
  if (!worst) return;
  const { service, host, pid, aheadMs } = worst;
  const others = wrong.length > 1 ? `; difieren ${number(wrong.length - 1)} más` : '';
  const right = mongoAheadMs === undefined ? 'del reloj del Redis de la cola' : 'del de MongoDB';
  const text = `El reloj de ${service} en ${host}, pid ${pid}, va ${aheadOrBehind(aheadMs)} ${right}${others}`;
  yield { ...warning('clocks-differ', 'clocksdiffer', text), causes: ['clock'] };
}

function aheadOrBehind(aheadMs: number): string {
  return `${duration(Math.abs(aheadMs))} ${aheadMs > 0 ? 'delante' : 'detrás'}`;
}
