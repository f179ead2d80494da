import type { SystemState } from '../system-state.ts';
import { type Diagnosis, grave } from './diagnosis.ts';

export function* diagnoseQueue({ paused }: SystemState): Generator<Diagnosis> {
  if (!paused) return;
  const text = 'La cola está en pausa: no se imprime nada';
  yield { ...grave('paused', 'queuepaused', text), causes: ['print'] };
}
