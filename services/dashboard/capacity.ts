import { count } from '#shared/pages/format.ts';
import type { PrintCapacity, WorkerHeartbeat } from '#shared/stores/heartbeat.ts';
import type { SystemState } from './system-state.ts';

/** The share of what a worker could print that it is given on average, so that peaks find room (`k8s/production/scaling.yaml`). */
const GIVEN_SHARE = 0.7;
/** A larger multiple would be too far from what was measured. */
const MAX_TIMES = 20;
/** Up to here halves are told. Larger multiples are not known as well as that. */
const MAX_HALVES = 5;

type State = Pick<SystemState, 'minutes'> & { workers: readonly Pick<WorkerHeartbeat, 'capacity'>[] };

/**
 * Says how much of their labels the workers could print, from their heartbeats. Figures are labels a minute, and undefined if
 * nobody knows them: a worker tells none in its first minute and of few labels.
 * @param most workers that an autoscaler allows; undefined without one.
 */
export function capacityView({ workers, minutes }: State, most: number | undefined) {
  const known = workers.flatMap(({ capacity }) => capacity ?? []);
  const could = sum(known, ({ mostPerMinute }) => mostPerMinute);
  const wanted =
    known.length > 0 && known.every(isExact) ? wantedWorkers(minutes, could / known.length) : undefined;
  const [whole] = minutes.slice(-2, -1);
  return {
    perMinute: whole?.printed ?? 0,
    could: known.length > 0 ? could : undefined,
    isLeast: known.length < workers.length || !known.every(isExact),
    alive: workers.length,
    wanted,
    // A request that failed or was refused counts as one label, but a file asks for many.
    isWantedLeast: whole !== undefined && whole.failed + whole.refused > 0,
    most,
    lacks: wanted !== undefined && wanted > (most ?? Infinity),
    sentence: [sentenceOn(known, workers.length, could), ...unknownOf(workers)].join(' '),
  };
}

const isExact = ({ isLeast }: PrintCapacity) => !isLeast;

/** Counts the last whole minute, with the requests that failed or were refused: those need workers too. */
function wantedWorkers(minutes: State['minutes'], each: number): number {
  const { printed = 0, failed = 0, refused = 0 } = minutes.at(-2) ?? {};
  return Math.max(1, Math.ceil((printed + failed + refused) / (GIVEN_SHARE * each)));
}

function sentenceOn(known: readonly PrintCapacity[], alive: number, could: number): string {
  if (alive === 0) return 'No hay ningún worker vivo.';
  if (known.length === 0) return 'No se sabe para cuántas etiquetas más alcanzan los workers.';
  const share = sum(known, ({ perMinute }) => perMinute) / could;
  const who =
    known.length === alive
      ? count(alive, 'worker', 'workers')
      : `${known.length} de ${count(alive, 'worker', 'workers')}`;
  const verb = known.length === 1 ? 'alcanza' : 'alcanzan';
  const busy = known.length === 1 ? 'ocupado' : 'ocupados';
  return `Con ${who}, ${busy} al ${Math.round(100 * share)}\u00a0%: ${reach(1 / share, known.every(isExact), verb)}.`;
}

/** Rounds down, so as not to promise too much. @param times what they could print, by what they print. */
function reach(times: number, isExact: boolean, verb: string): string {
  if (times > MAX_TIMES) return `${verb} para más de ${MAX_TIMES} veces lo de ahora`;
  const known = times < MAX_HALVES ? Math.floor(2 * times) / 2 : Math.floor(times);
  if (times >= 2) return `${verb} para ${isExact ? 'unas' : 'al menos'} ${known} veces lo de ahora`;
  const percent = 5 * Math.floor(20 * (times - 1));
  if (percent < 5)
    return isExact ? `no ${verb} para más` : `no se sabe si ${verb} para más, porque los lotes no van llenos`;
  return `${verb} para ${isExact ? 'un' : 'al menos un'} ${percent}\u00a0% más`;
}

/** Counts the workers of which nothing is known yet. */
function unknownOf(workers: State['workers']): string[] {
  const fresh = workers.filter(({ capacity }) => capacity === null).length;
  if (fresh === 0) return [];
  const subject = fresh === 1 ? 'Un worker' : `Cada uno de ${fresh} workers`;
  return [`${subject} aún no imprime lo bastante: se mide con un minuto de trabajo.`];
}

function sum<T>(all: readonly T[], of: (one: T) => number): number {
  return all.reduce((total, one) => total + of(one), 0);
}
