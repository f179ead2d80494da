import { count, number } from '#shared/pages/format.ts';
import type { SystemState } from '../system-state.ts';
import { type Diagnosis, grave, type LastSeen, RECOVERY_MS, warning } from './diagnosis.ts';

const OTHER_REDIS = 'usa otro Redis de la cola, u otro REDIS_PREFIX';

/** Names processes that use another Redis than this dashboard, or that this dashboard uses another one than all of them. */
export function* diagnoseElsewhere(
  { at, elsewhere, services }: SystemState,
  { redis }: LastSeen,
): Generator<Diagnosis> {
  // A Redis that comes back empty knows nobody yet.
  if (at - redis <= RECOVERY_MS) return;
  const apis = elsewhere.filter(({ service }) => service === 'api');
  if (apis.length > 0 && !services.some(({ service }) => service === 'api')) {
    const theirs = `${count(apis.length, 'proceso', 'procesos')} de api`;
    const text = `Este tablero ${OTHER_REDIS}, que ${theirs}: no ve lo que pasa en ${apis.length > 1 ? 'ellos' : 'él'}`;
    yield {
      ...grave('dashboard-elsewhere', 'noworkers', text),
      causes: ['heartbeats', 'branches', 'webhooks', 'tariff'],
    };
    return;
  }
  const blind = apis.filter(({ seesWorkers }) => !seesWorkers);
  if (blind[0]) {
    const text = `${nameOf(blind)}, ${OTHER_REDIS}, y no ve ningún label-worker: no queda lista, o sus etiquetas responden 503`;
    yield grave('api-elsewhere', 'noworkers', text);
  }
  const others = elsewhere.filter((process) => !blind.includes(process));
  if (others[0]) {
    const text = `${nameOf(others)}, ${OTHER_REDIS}: este tablero no ve lo que pasa en él. Si es otra celda, le falta su CELL`;
    yield warning('process-elsewhere', 'noworkers', text);
  }
}

function nameOf(processes: readonly SystemState['elsewhere'][number][]): string {
  const [first] = processes;
  const more = processes.length > 1 ? ` (y ${number(processes.length - 1)} más)` : '';
  return `Un proceso de ${first?.service}${more}, en ${first?.host}, pid ${first?.pid}`;
}
