/**
 * What KEDA and the HorizontalPodAutoscaler that it makes do with a ScaledObject, as they publish it (Kubernetes 1.34
 * "Horizontal Pod Autoscaling", pkg/controller/podautoscaler; KEDA 2.21 pkg/fallback). Times are in seconds.
 */

type Policy = { type: 'Pods' | 'Percent'; value: number; periodSeconds: number };
type Rules = { stabilizationWindowSeconds?: number; policies?: Policy[]; selectPolicy?: 'Max' | 'Min' };
export type Trigger = {
  type: string;
  metadata: { query: string; threshold: string; ignoreNullValues?: string };
};
export type ScaledObject = {
  minReplicaCount: number;
  maxReplicaCount: number;
  fallback?: { failureThreshold: number; replicas: number; behavior?: string };
  advanced?: { horizontalPodAutoscalerConfig?: { behavior?: { scaleUp?: Rules; scaleDown?: Rules } } };
  triggers: Trigger[];
};

/** Time between two looks at the metrics: `--horizontal-pod-autoscaler-sync-period` of the cluster. */
export const SYNC_S = 15;
/** A metric this close to its target changes nothing: `--horizontal-pod-autoscaler-tolerance`. */
const TOLERANCE = 0.1;
const POLICIES: Readonly<Record<'scaleUp' | 'scaleDown', Required<Rules>>> = {
  scaleUp: {
    stabilizationWindowSeconds: 0,
    policies: [
      { type: 'Percent', value: 100, periodSeconds: 15 },
      { type: 'Pods', value: 4, periodSeconds: 15 },
    ],
    selectPolicy: 'Max',
  },
  scaleDown: {
    stabilizationWindowSeconds: 300,
    policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
    selectPolicy: 'Max',
  },
};

/** Returns the value of a trigger's query; undefined is "no data". @throws when Prometheus does not answer. */
export type Ask = (query: string) => number | undefined;

export class Autoscaler {
  readonly #object: ScaledObject;
  readonly #failures: number[];
  readonly #recommended: { at: number; replicas: number }[] = [];
  readonly #changes: { at: number; by: number }[] = [];

  constructor(object: ScaledObject) {
    this.#object = object;
    this.#failures = object.triggers.map(() => 0);
  }

  /** Returns how many replicas there are to be from now on. */
  sync(now: number, current: number, ask: Ask): number {
    if (this.#recommended.length === 0) this.#recommended.push({ at: now, replicas: current });
    const { triggers, minReplicaCount, maxReplicaCount } = this.#object;
    const values = triggers.map((trigger, index) => this.#read(trigger, index, current, ask));
    const proposals = values.flatMap((value, index) =>
      value === undefined ? [] : [proposal(value, Number(triggers[index]?.metadata.threshold), current)],
    );
    const highest = Math.max(...proposals);
    // Where a metric is missing nobody knows that fewer would do.
    if (proposals.length === 0 || (proposals.length < triggers.length && highest < current)) return current;
    const bounded = Math.min(maxReplicaCount, Math.max(minReplicaCount, highest));
    const wanted = this.#limit(now, current, this.#stabilize(now, current, bounded));
    if (wanted !== current) this.#changes.push({ at: now, by: wanted - current });
    return wanted;
  }

  /** KEDA's part: the query's value, or what it reports in place of it after some failures. */
  #read({ metadata }: Trigger, index: number, current: number, ask: Ask): number | undefined {
    const { fallback } = this.#object;
    const value = attempt(
      () => ask(metadata.query) ?? (metadata.ignoreNullValues === 'false' ? undefined : 0),
    );
    this.#failures[index] = value === undefined ? (this.#failures[index] ?? 0) + 1 : 0;
    if (value !== undefined || !fallback || this.#failures[index] <= fallback.failureThreshold) return value;
    const { replicas, behavior = 'static' } = fallback;
    const count = { static: replicas, currentReplicas: current }[behavior] ?? Math.max(current, replicas);
    return count * Number(metadata.threshold);
  }

  #rules(direction: 'scaleUp' | 'scaleDown'): Required<Rules> {
    const behavior = this.#object.advanced?.horizontalPodAutoscalerConfig?.behavior?.[direction];
    return { ...POLICIES[direction], ...behavior };
  }

  /** Up only as far as was recommended throughout the window, down only as far as never more was. */
  #stabilize(now: number, current: number, recommended: number): number {
    const within = (direction: 'scaleUp' | 'scaleDown') => {
      const from = now - this.#rules(direction).stabilizationWindowSeconds;
      return this.#recommended.filter(({ at }) => at > from).map(({ replicas }) => replicas);
    };
    const least = Math.min(recommended, ...within('scaleUp'));
    const most = Math.max(recommended, ...within('scaleDown'));
    this.#recommended.push({ at: now, replicas: recommended });
    if (this.#recommended.length > 1_000) this.#recommended.splice(0, 500);
    return Math.min(Math.max(current, least), most);
  }

  /** As far as the policies allow within their periods. */
  #limit(now: number, current: number, wanted: number): number {
    if (wanted === current) return current;
    const up = wanted > current;
    const { policies, selectPolicy } = this.#rules(up ? 'scaleUp' : 'scaleDown');
    const limits = policies.map(({ type, value, periodSeconds }) => {
      const changes = this.#changes.filter(({ at }) => at > now - periodSeconds);
      const before = changes.reduce((count, { by }) => count - by, current);
      const signed = up ? value : -value;
      if (type === 'Pods') return before + signed;
      const share = before * (1 + signed / 100);
      return up ? Math.ceil(share) : Math.trunc(share);
    });
    const farthest = up === (selectPolicy === 'Max') ? Math.max(...limits) : Math.min(...limits);
    return up ? Math.min(wanted, Math.max(current, farthest)) : Math.max(wanted, Math.min(current, farthest));
  }
}

/** What one metric of the kind AverageValue proposes. */
function proposal(value: number, target: number, current: number): number {
  const ratio = value / (target * current);
  return Math.abs(ratio - 1) <= TOLERANCE ? current : Math.ceil(value / target);
}

function attempt(read: () => number | undefined): number | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
