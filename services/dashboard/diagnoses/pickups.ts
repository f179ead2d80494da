import { count } from '#shared/pages/format.ts';
import type { SystemState } from '../system-state.ts';
import { type Diagnosis, warning } from './diagnosis.ts';

/** Names pick-ups that wait for somebody of the carrier. What nobody knows of them is said of webhooks, by the same MongoDB. */
export function* diagnosePickups({ pickups }: SystemState): Generator<Diagnosis> {
  if (!pickups) return;
  const { unscheduled, unfinished, branches } = pickups;
  const where = `, en ${branches.join(', ')}`;
  if (unscheduled > 0) {
    const late = count(
      unscheduled,
      'recolección pasó su corte y nadie la programó',
      'recolecciones pasaron su corte y nadie las programó',
    );
    yield warning('pickups-unscheduled', 'pickupsoverdue', `${late}${where}`);
  }
  if (unfinished > 0) {
    const late = count(unfinished, 'recolección', 'recolecciones');
    const text = `De ${late} terminó la ventana hace más de 2 h y nadie dijo qué pasó${where}`;
    yield warning('pickups-unfinished', 'pickupsoverdue', text);
  }
}
