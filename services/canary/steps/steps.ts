import type { Step } from '#shared/canary/report.ts';
import { duration } from '#shared/pages/format.ts';
import { CredentialRefused } from '../http/credential.ts';
import { Limited, UnexpectedAnswer } from '../http/customer.ts';
import { OBJECTIVE_MS } from './time-limits.ts';

/** `form`: what is printed, for the step `other-label`: "PNG 10x15"; else empty. */
export type StepOf = { step: Step; form: string };

/** How a step ended. */
export type Outcome = StepOf & {
  result: 'ok' | 'late' | 'failed';
  ms: number;
  /** What came, in Spanish, for people; empty after success. */
  answer: string;
  /** Nothing came within the deadline. */
  isAtDeadline: boolean;
  /** By which the logs of the service name the request that failed. */
  requestId?: string | undefined;
};

/** What was made. `untried`: why it ended, if that was the canary's own matter. */
export type Made = { outcomes: Outcome[]; skipped: StepOf[]; untried?: 'refused' | 'limited' };

/** The step does not apply: it neither succeeds nor fails. */
export class Skipped extends Error {
  override name = 'Skipped';
}

/** A step failed or could not be made, as is noted: what needs it is not tried. */
class Ended extends Error {
  override name = 'Ended';
}

/** Makes a step. @param work throws UnexpectedAnswer where the service does not answer as it must. */
export type MakeStep = <Result>(step: Step, work: () => Promise<Result>, form?: string) => Promise<Result>;

/** Makes steps until one fails, or the canary's key or account may not go on. */
export async function makeSteps(work: (step: MakeStep) => Promise<unknown>): Promise<Made> {
  const made: Made = { outcomes: [], skipped: [] };
  await work((step, make, form = '') => noted(made, { step, form }, make)).catch((error: Error) => {
    if (!(error instanceof Ended)) throw error;
  });
  return made;
}

async function noted<Result>(made: Made, of: StepOf, make: () => Promise<Result>): Promise<Result> {
  const from = performance.now();
  try {
    const result = await make();
    const ms = performance.now() - from;
    const answer = latenessOf(of.step, ms);
    made.outcomes.push({ ...of, ms, answer, result: answer === '' ? 'ok' : 'late', isAtDeadline: false });
    return result;
  } catch (error) {
    const ms = performance.now() - from;
    if (error instanceof CredentialRefused) made.untried = 'refused';
    else if (error instanceof Limited) made.untried = 'limited';
    else if (error instanceof Skipped) made.skipped.push(of);
    else made.outcomes.push({ ...of, ms, result: 'failed', ...failureOf(error as Error) });
    throw new Ended();
  }
}

function latenessOf(step: Step, ms: number): string {
  const objective = OBJECTIVE_MS[step] ?? Number.POSITIVE_INFINITY;
  return ms > objective ? `${duration(ms)}, objetivo ${duration(objective)}` : '';
}

/** An answer without a field that it must have ends in an error whose words are of no use to people. */
function failureOf(error: Error): Pick<Outcome, 'answer' | 'isAtDeadline' | 'requestId'> {
  if (!(error instanceof UnexpectedAnswer))
    return { answer: 'la respuesta no trae lo que debe', isAtDeadline: false };
  const { message: answer, isAtDeadline, requestId } = error;
  return { answer, isAtDeadline, requestId };
}
