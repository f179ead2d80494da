import { CHROMIUM_RESTARTS } from '#shared/observability/thresholds.ts';
import { duration, number } from '#shared/pages/format.ts';
import { LOST_MS, type LostProcess } from '#shared/stores/heartbeat.ts';
import type { SystemState } from '../system-state.ts';
import {
  BY_API,
  BY_BRANCHES,
  BY_WEBHOOKS,
  type Diagnosis,
  grave,
  type LastSeen,
  RECOVERY_MS,
  warning,
} from './diagnosis.ts';

/** Label workers have a diagnosis of their own. */
export const SERVICES = ['api', 'branches', 'webhooks'] as const;

const SERVICE_OUTAGES = {
  api: { section: 'servicedown', causes: [...BY_API, 'api'] },
  branches: { section: 'branchesdown', causes: ['branches', ...BY_BRANCHES] },
  webhooks: { section: 'servicedown', causes: BY_WEBHOOKS },
} as const;

/** Longer than the time between two readings of the status. */
const FORGOTTEN_SOON_MS = 15_000;

/** No episode of its own: it is the end of another. */
export const REDIS_RETURNS = 'redis-returns';

export function* diagnoseWorkers({ workers, lost }: SystemState): Generator<Diagnosis> {
  if (workers.length === 0) {
    const text = 'No hay ningún label-worker vivo: no se imprime nada';
    yield { ...grave('no-workers', 'noworkers', text), effectOn: ['heartbeats'], causes: ['print'] };
  } else {
    yield* diagnoseLost('label-worker', 'noworkers', lost);
  }
  const prints = workers.some(({ chromium }) => chromium.state === 'running');
  const broken = workers
    .filter(({ at, chromium }) => at - chromium.since >= BROKEN_AFTER_MS[chromium.state])
    .sort((one, other) => one.chromium.since - other.chromium.since);
  const [first] = broken;
  if (!first) return;
  const others = broken.length > 1 ? ` y de ${number(broken.length - 1)} más` : '';
  const what = broken.every(({ chromium }) => chromium.state === 'starting')
    ? 'está arrancando'
    : 'no arranca';
  const since = duration(first.at - first.chromium.since);
  const text = `El Chromium de ${first.host}${others} ${what}, desde hace ${since}`;
  // One that fails and starts in turns is one problem.
  yield { ...grave('chromium', 'chromiumrestarts', text), ...(!prints && { causes: ['print'] }) };
}

/** A Chromium that failed is not well at once; one that starts needs some time. */
const BROKEN_AFTER_MS = {
  running: Number.POSITIVE_INFINITY,
  failed: Number.NEGATIVE_INFINITY,
  starting: CHROMIUM_RESTARTS.startMs,
};

/** Heartbeats are written again within seconds after the queue's Redis is back. Until then nobody is missed. */
export function* diagnoseReturn(
  { at, services, workers }: SystemState,
  { redis }: LastSeen,
): Generator<Diagnosis> {
  const missing = [
    ...SERVICES.filter((name) => !services.some(({ service }) => service === name)),
    ...(workers.length === 0 ? ['label-worker'] : []),
  ];
  if (missing.length === 0 || at - redis > RECOVERY_MS) return;
  const text = `El Redis de la cola acaba de volver: falta que den señales ${missing.join(', ')}`;
  yield { ...warning(REDIS_RETURNS, 'redisdown', text), causes: ['heartbeats', 'login', 'print'] };
}

export function* diagnoseServices({ services, lost }: SystemState): Generator<Diagnosis> {
  for (const name of SERVICES) {
    const { section, causes } = SERVICE_OUTAGES[name];
    if (services.some(({ service }) => service === name)) yield* diagnoseLost(name, section, lost);
    else {
      const text = `Ningún proceso de ${name} da señales`;
      yield { ...grave(name, section, text), effectOn: ['heartbeats'], causes };
    }
  }
}

/** Names processes of a service that give no sign, while others do. */
function* diagnoseLost(service: string, section: string, lost: readonly LostProcess[]): Generator<Diagnosis> {
  const own = lost.filter((process) => process.service === service);
  const [last] = own;
  if (!last) return;
  const { host, pid, forMs } = last;
  const which = `${host}, pid ${pid}`;
  const text =
    own.length === 1
      ? `Un proceso de ${service} no da señales desde hace ${duration(forMs)}: ${which}`
      : `${number(own.length)} procesos de ${service} no dan señales; el último, desde hace ${duration(forMs)}: ${which}`;
  // Nothing came back when the process is forgotten.
  const fades = forMs > LOST_MS - FORGOTTEN_SOON_MS;
  yield {
    ...warning(`lost-${service}`, section, text),
    effectOn: ['heartbeats'],
    ...(fades && { fades }),
  };
}
