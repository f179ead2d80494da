import { Gauge, Histogram, type Registry } from 'prom-client';
import {
  type Fault,
  GOOD_ROUND_MAX_AGE_MS,
  goodMsOf,
  STEP_ACTIONS,
  type Step,
  type Way,
} from '#shared/canary/report.ts';
import { WAIT_BUCKETS } from '#shared/observability/metrics.ts';
import type { Canary } from './rounds/canary.ts';
import type { Histories } from './rounds/history.ts';
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

/** Adds what the alerts ask. Addresses of processes are no labels, because each new process would begin time series of its own. */
export function addCanaryGauges(registry: Registry, canary: Canary): void {
  new Gauge({
    name: 'canary_fault',
    help: 'Whether customers meet this fault now, 1 or 0: the step fails, or is late. `action` fails with it; empty if none does',
    labelNames: ['step', 'action', 'way', 'late'],
    registers: [registry],
    collect() {
      this.reset();
      const set = (way: Way, step: Step, isLate: boolean, value: 0 | 1) =>
        this.set({ step, action: STEP_ACTIONS[step] ?? '', way, late: String(isLate) }, value);
      for (const { way, steps } of madeBy(canary))
        for (const step of steps) for (const isLate of [true, false]) set(way, step, isLate, 0);
      for (const { way, faults } of madeBy(canary))
        for (const { step, isLate } of faults) set(way, step, isLate, 1);
    },
  });
  new Gauge({
    name: 'canary_round_age_seconds',
    help: 'Age of the last good round by the way in where it is oldest. For a way that is tried less often than every 15 s, minus what that adds to three rounds, so that one limit suits all. Absent without branches',
    labelNames: ['way'],
    registers: [registry],
    collect() {
      this.reset();
      if (canary.isWaiting) return;
      const ages = canary.report().ways.map((each) => ({
        way: each.way,
        ageMs: (each.goodAgoMs ?? each.triedForMs) - (goodMsOf(each) - GOOD_ROUND_MAX_AGE_MS),
      }));
      for (const { way, ageMs } of ages.toSorted((one, other) => one.ageMs - other.ageMs))
        this.set({ way }, Math.max(0, ageMs) / 1_000);
    },
  });
}

/** Returns the steps of each way in, and the faults among them. The periodic checks go by the way of customers. */
function madeBy({ ways, checks }: Canary): { way: Way; steps: Step[]; faults: Fault[] }[] {
  const stepsOf = (histories: Histories) => histories.lastOutcomes().map(({ step }) => step);
  return [
    ...ways.map((rounds) => ({
      way: rounds.way.way,
      steps: stepsOf(rounds.histories),
      faults: rounds.faults(),
    })),
    { way: 'customers', steps: stepsOf(checks), faults: checks.faults() },
  ];
}
