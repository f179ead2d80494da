import type { Report } from '../report/report.ts';

/** What a label costs each part, in core-ms. */
export type Costs = {
  /** The api: a request until it is refused or its guide is read, the way into the line, and the answer. */
  ask: number;
  enter: number;
  answer: number;
  /** The api creates the guide of a label. */
  create: number;
  /** MongoDB and the services that labels do not pass through. */
  others: number;
  /** Redis of the queue, for each of a job's three ways through it: added, taken, ended. */
  queue: number;
  /** The worker's own thread before and after the print. */
  render: number;
  finish: number;
  /** A print of n labels in Chromium takes `print.fixed + n * print.each`. */
  print: { fixed: number; each: number };
  /** The load generator, for sending a request and reading its answer. */
  load: number;
};

/**
 * Assumed shares of what a label costs the api, which no measurement tells apart. `ask` is also what a refusal costs: with
 * 0.1 or 0.3, goodput at three times the top load is 0.90 or 0.68 of the top.
 */
const API_SHARES = { ask: 0.15, enter: 0.4, answer: 0.45 };
/**
 * A print costs as much beside its labels as so many labels do: Chromium's CPU time of prints of 1 and of 25 letters,
 * measured on a busy machine, where only the ratio of both tells something.
 */
const FIXED_LABELS = 4.5;
/** Labels of an average print in the row `cost-label`, whose 64 clients keep two prints of 25 nearly full. */
const LABELS_OF_PRINT = 20;

/** Reads the costs from the notes of the last whole benchmark. */
export function costsOf({ rows }: Report): Costs {
  const core = (id: string, part: string) => {
    const note = rows.find((row) => row.id === id)?.note ?? '';
    const [, ms] = new RegExp(`\\b${part} ([\\d.]+)`).exec(note) ?? [];
    if (ms === undefined) throw new Error(`The row ${id} does not say what ${part} costs`);
    return Number(ms);
  };
  const label = (part: string) => core('cost-label', part);
  const each = label('chromium') / (1 + FIXED_LABELS / LABELS_OF_PRINT);
  return {
    ask: API_SHARES.ask * label('api'),
    enter: API_SHARES.enter * label('api'),
    answer: API_SHARES.answer * label('api'),
    create: core('cost-create', 'api'),
    others: label('database') + label('branches') + label('dashboard') + label('webhooks'),
    queue: label('redis') / 3,
    render: label('label-worker') / 2,
    finish: label('label-worker') / 2,
    print: { fixed: FIXED_LABELS * each, each },
    load: label('load generator') / 2,
  };
}
