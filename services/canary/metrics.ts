import { Gauge, Histogram, type Registry } from 'prom-client';
import { type Step, WAYS, type Way } from '#shared/canary/report.ts';
import { WAIT_BUCKETS } from '#shared/observability/metrics.ts';
import type { Canary } from './rounds/canary.ts';
import type { Outcome } from './steps/steps.ts';

/** Adds the histogram of all steps. @returns what observes a step. */
export function stepObserver(registry: Registry): (outcome: Outcome, way: Way) => void {
  const seconds = new Histogram({
    name: 'canary_step_seconds',
    help: 'Duration of a step that the canary made as a customer, by how it ended: ok, late or failed',
    labelNames: ['step', 'outcome', 'form', 'way'],
    buckets: [...WAIT_BUCKETS, 30],
    registers: [registry],
  });
  return ({ step, result: outcome, form, ms }, way) =>
    seconds.observe({ step, outcome, form, way }, ms / 1_000);
}

/** Adds what the alerts ask. Addresses of processes are no labels, because each new process would begin series of its own. */
export function addCanaryGauges(registry: Registry, canary: Canary): void {
  new Gauge({
    name: 'canary_failures_in_a_row',
    help: 'Bad rounds in a row of a step: failed ones, or late ones once these are a fault. Of several processes, the most',
    labelNames: ['step', 'way'],
    registers: [registry],
    collect() {
      this.reset();
      for (const way of WAYS)
        for (const [step, rounds] of mostInARow(canary, way)) this.set({ step, way }, rounds);
    },
  });
  new Gauge({
    name: 'canary_round_age_seconds',
    help: 'Time since a guide was created and its label read, by the way where that is longest ago. Absent without branches',
    labelNames: ['way'],
    registers: [registry],
    collect() {
      this.reset();
      if (canary.isWaiting) return;
      for (const { way, ageMs } of canary.ways.toSorted((one, other) => one.ageMs - other.ageMs))
        this.set({ way: way.way }, ageMs / 1_000);
    },
  });
}

function mostInARow({ ways, series }: Canary, way: Way): Map<Step, number> {
  const all = [...ways.filter((each) => each.way.way === way), ...(way === 'customers' ? [series] : [])];
  const most = new Map<Step, number>();
  for (const { step, rounds } of all.flatMap((each) => each.inARow()))
    most.set(step, Math.max(rounds, most.get(step) ?? 0));
  return most;
}
