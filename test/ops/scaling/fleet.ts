import { Autoscaler, type ScaledObject, SYNC_S } from './autoscaler.ts';
import { parseQuery, type Sample, type Series } from './promql.ts';

/**
 * A model of label workers under a load, with the api that admits labels, the Prometheus that scrapes it and the autoscaler
 * that asks it. Labels flow like water: what is modelled is how many there are, and when. Times are in seconds.
 */

export type Scenario = {
  scaledObject: ScaledObject;
  /** Labels that are asked for in a second, at a time. */
  load: (at: number) => number;
  durationS: number;
  /** Workers at the beginning; the least that the autoscaler allows unless given. */
  workers?: number;
  scrapeS?: number;
  /** When the first scrape and the first look of the autoscaler are. */
  phaseS?: { scrape: number; sync: number };
  paused?: (at: number) => boolean;
  /** Whether Prometheus answers. */
  prometheus?: (at: number) => boolean;
  /** Whether Redis answers the api. */
  redis?: (at: number) => boolean;
  stepS?: number;
};

export type Moment = { at: number; workers: number; ready: number; queued: number; refused: number };

/** What a worker prints in a second. scaling.yaml is set for it. */
export const WORKER_LABELS_PER_S = 200;
/** From the order for a pod on a node that has its image to its first label, in seconds. */
export const START_S = 8;
/** Labels that a worker takes at once: 2 × `PRINT_CONCURRENCY` × `BATCH_MAX_LABELS`. */
const TAKEN_AT_ONCE = 100;
/** How long a label takes that waits for no other, in seconds. */
const LABEL_S = 0.15;
const API_PROCESSES = 2;
/** Of services/api/labels/admission.ts: the wait, in seconds, and the labels of one process that are never refused. */
const ADMISSION = { waitS: 8, always: 100, most: 5_000 };
const LABEL_TIMEOUT_S = 10;

/** Prometheus' samples of what the api processes count. */
export class Scrapes {
  readonly #series = new Map<string, Series & { samples: Sample[] }>();

  get series(): Series[] {
    return [...this.#series.values()];
  }

  /** @param value undefined where the api does not tell. */
  add(at: number, name: string, labels: Record<string, string>, value: number | undefined): void {
    const key = [name, ...Object.values(labels)].join(' ');
    const all = { namespace: 'guias', job: 'api', shard: '0', ...labels };
    const samples: Sample[] = this.#series.get(key)?.samples ?? [];
    if (samples.length === 0) this.#series.set(key, { name, labels: all, samples });
    samples.push({ at, value: value ?? Number.NaN });
    if (samples.length > 60) samples.splice(0, 30);
  }
}

/** The queue, those who fill it and those who empty it. */
export class Labels {
  queued = 0;
  wanted = 0;
  #perS = 0;
  #standsStillS = 0;

  /** Lets time pass. @returns how many labels were not printed. */
  pass(seconds: number, asked: number, ready: number, redis: boolean): number {
    if (!redis) return asked;
    this.wanted += asked;
    const most = Math.max(API_PROCESSES * ADMISSION.always, ADMISSION.waitS * this.#perS);
    const room = Math.min(most, API_PROCESSES * ADMISSION.most) - this.queued;
    this.#standsStillS = ready === 0 ? this.#standsStillS + seconds : 0;
    // Where nothing gets printed, no label is admitted after as long as one may take.
    const stands = this.#standsStillS > LABEL_TIMEOUT_S;
    const admitted = stands ? 0 : Math.min(asked, Math.max(0, room + ready * WORKER_LABELS_PER_S * seconds));
    const printed = Math.min(this.queued + admitted, ready * WORKER_LABELS_PER_S * seconds);
    this.queued += admitted - printed;
    this.#perS = printed / seconds;
    if (stands) this.queued = 0;
    return asked - admitted;
  }

  /** Writes what the api tells of them. */
  scrape(scrapes: Scrapes, at: number, workers: number, state: { paused: boolean; redis: boolean }): void {
    const inHand = this.queued + this.#perS * LABEL_S;
    const active = state.paused ? 0 : Math.min(inHand, workers * TAKEN_AT_ONCE);
    const waiting = inHand - active;
    for (let process = 0; process < API_PROCESSES; process++) {
      const add = (name: string, labels: Record<string, string>, value: number | undefined) =>
        scrapes.add(at, name, { ...labels, instance: `api-${process}` }, value);
      add('labels_wanted_total', {}, this.wanted / API_PROCESSES);
      const shared = (value: number) => (state.redis ? value : undefined);
      add('label_queue_jobs', { state: 'waiting' }, shared(waiting));
      add('label_queue_jobs', { state: 'active' }, shared(active));
      add('label_queue_jobs', { state: 'delayed' }, shared(0));
      add('label_queue_paused', {}, shared(Number(state.paused)));
      add('label_queue_workers', {}, shared(workers));
      add('label_queue_oldest_job_seconds', {}, shared(this.#perS > 0 ? waiting / this.#perS : 0));
    }
  }
}

/** Returns when each worker is ready, of as many as are wanted. */
export function resize(workers: readonly number[], wanted: number, at: number): number[] {
  const added = Array<number>(Math.max(0, wanted - workers.length)).fill(at + START_S);
  return [...workers, ...added].slice(0, wanted);
}

/** Plays a scenario. @returns how it went, a moment for each step of time, and what Prometheus scraped last. */
export function play(scenario: Scenario): { moments: Moment[]; series: readonly Series[] } {
  const { scaledObject, load, durationS, scrapeS = 15, stepS = 1 } = scenario;
  const { scrape, sync } = scenario.phaseS ?? { scrape: 0, sync: 0 };
  const always = () => true;
  const { prometheus = always, redis = always, paused = () => false } = scenario;
  const queries = new Map(scaledObject.triggers.map(({ metadata: { query } }) => [query, parseQuery(query)]));
  const [autoscaler, labels, scrapes] = [new Autoscaler(scaledObject), new Labels(), new Scrapes()];
  /** When each worker is ready. */
  let workers: number[] = Array<number>(scenario.workers ?? scaledObject.minReplicaCount).fill(0);
  const moments: Moment[] = [];
  for (let step = 0; step * stepS < durationS; step++) {
    const at = step * stepS;
    const ready = workers.filter((from) => from <= at).length;
    const refused = labels.pass(stepS, load(at) * stepS, paused(at) ? 0 : ready, redis(at));
    const due = (first: number, every: number) =>
      Math.abs((((at - first) % every) + every) % every) < stepS / 2;
    if (prometheus(at) && due(scrape, scrapeS))
      labels.scrape(scrapes, at, ready, { paused: paused(at), redis: redis(at) });
    if (due(sync, SYNC_S)) {
      const wanted = autoscaler.sync(at, workers.length, (query) => {
        if (!prometheus(at)) throw new Error('Prometheus does not answer');
        return queries.get(query)?.(scrapes.series, at);
      });
      workers = resize(workers, wanted, at);
    }
    moments.push({ at, workers: workers.length, ready, queued: labels.queued, refused });
  }
  return { moments, series: scrapes.series };
}
