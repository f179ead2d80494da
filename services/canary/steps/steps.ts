import type { Step } from '#shared/canary/report.ts';
import { Refused } from '../http/credential.ts';
import { Unmet } from '../http/customer.ts';
import { OBJECTIVE_MS } from './limits.ts';

/** How a step ended. */
export type Outcome = {
  step: Step;
  /** What is printed, for `form`: "PNG 10x15"; else empty. */
  form: string;
  result: 'ok' | 'late' | 'failed';
  ms: number;
  /** What came, in Spanish, for people; empty after success. */
  answer: string;
  /** Nothing came within the deadline. */
  isAtDeadline: boolean;
  /** By which the logs of the service name the request that failed. */
  requestId?: string | undefined;
};

/** The step does not apply: it neither succeeds nor fails. */
export class Skipped extends Error {
  override name = 'Skipped';
}

/** A step failed, as is noted, or does not apply: what needs it is not tried. */
class Ended extends Error {
  override name = 'Ended';
}

/** Makes a step. @param work throws Unmet where the service does not answer as it must. */
export type MakeStep = <Result>(step: Step, work: () => Promise<Result>, form?: string) => Promise<Result>;

/** Makes steps until one fails, or the key is refused. @returns how each ended. */
export async function makeSteps(work: (step: MakeStep) => Promise<unknown>): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  await work((step, make, form = '') => noted(outcomes, { step, form }, make)).catch((error: Error) => {
    if (!(error instanceof Ended || error instanceof Refused)) throw error;
  });
  return outcomes;
}

async function noted<Result>(
  outcomes: Outcome[],
  of: Pick<Outcome, 'step' | 'form'>,
  make: () => Promise<Result>,
): Promise<Result> {
  const from = performance.now();
  try {
    const result = await make();
    const ms = performance.now() - from;
    const answer = latenessOf(of.step, ms);
    outcomes.push({ ...of, ms, answer, result: answer === '' ? 'ok' : 'late', isAtDeadline: false });
    return result;
  } catch (error) {
    if (error instanceof Refused) throw error;
    const ms = performance.now() - from;
    if (!(error instanceof Skipped))
      outcomes.push({ ...of, ms, result: 'failed', ...failureOf(error as Error) });
    throw new Ended();
  }
}

function latenessOf(step: Step, ms: number): string {
  const objective = OBJECTIVE_MS[step] ?? Number.POSITIVE_INFINITY;
  return ms > objective ? `${seconds(ms)} s, objetivo ${seconds(objective)} s` : '';
}

function seconds(ms: number): string {
  return String(Math.round(ms / 100) / 10);
}

/** An answer without a field that it must have ends in an error whose words are of no use to people. */
function failureOf(error: Error): Pick<Outcome, 'answer' | 'isAtDeadline' | 'requestId'> {
  if (!(error instanceof Unmet)) return { answer: 'la respuesta no trae lo que debe', isAtDeadline: false };
  const { message: answer, isAtDeadline, requestId } = error;
  return { answer, isAtDeadline, requestId };
}
