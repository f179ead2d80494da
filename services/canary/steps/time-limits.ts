import { UNANSWERED_MS } from '#shared/actions/user-actions.ts';
import type { Step } from '#shared/canary/report.ts';

/** Time limits of requests, in ms. */
export const DEADLINE_MS = { write: UNANSWERED_MS, print: 10_000, read: 3_000 } as const;

/** How long an event may take into the feed and a webhook, in ms. The feed is five seconds late (docs/contract.md "Events"). */
export const EVENT_DELIVERY_MS = 30_000;

const QUICK_MS = 300;
const PRINT_MS = 1_000;

/** When a step is late, in ms (docs/performance.md "The canary"). Steps that are absent have their deadline alone. */
export const OBJECTIVE_MS: Readonly<Partial<Record<Step, number>>> = {
  create: QUICK_MS,
  read: QUICK_MS,
  repeat: QUICK_MS,
  print: PRINT_MS,
  quote: QUICK_MS,
  branch: QUICK_MS,
  'postal-code': QUICK_MS,
  page: QUICK_MS,
  'other-label': PRINT_MS,
  login: PRINT_MS,
};
