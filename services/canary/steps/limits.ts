import type { Step } from '#shared/canary/report.ts';

/** Time limits of requests, in ms: after `UNANSWERED_MS` a request counts as failed; labels have a limit of their own. */
export const DEADLINE_MS = { write: 5_000, print: 10_000, read: 3_000 } as const;

/** How long an event may take into the feed and a webhook, in ms. The feed is five seconds late (docs/contract.md "Events"). */
export const TOLD_MS = 30_000;

const QUICK_MS = 300;
const PRINT_MS = 1_000;

/** From when on a step is late, in ms (k8s/operations.md "Objectives", docs/performance.md). What is absent has its deadline alone. */
export const OBJECTIVE_MS: Readonly<Partial<Record<Step, number>>> = {
  create: QUICK_MS,
  read: QUICK_MS,
  repeat: QUICK_MS,
  print: PRINT_MS,
  quote: QUICK_MS,
  branch: QUICK_MS,
  'postal-code': QUICK_MS,
  page: QUICK_MS,
  form: PRINT_MS,
  login: PRINT_MS,
};
