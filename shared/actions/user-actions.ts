/**
 * What users do with the service. Each is counted where it is answered, by how it ended, and from these counts follow the
 * page "Estado" and the alerts (`k8s/monitoring/alerts.yml`).
 *
 * `print` is every request for labels, files included; `event` registers and simulates events, and cancels guides; `manifest`
 * hands guides over; `read` stores nothing: guides, events, coverage, `validar`; `webhook` delivers a message to a receiver.
 */
export const USER_ACTIONS = [
  'login',
  'create',
  'quote',
  'print',
  'event',
  'manifest',
  'read',
  'webhook',
] as const;
export type UserAction = (typeof USER_ACTIONS)[number];

/**
 * `ok`: the user got what was asked for. `failed`: the fault is ours (5xx other than a refusal; no answer within
 * `UNANSWERED_MS`, whatever the answer is then; for a webhook, whatever keeps us from sending). `refused`: the service was
 * too busy (503 `saturado`). Users' own errors (4xx) are not counted, because they say nothing of the requests that are
 * right; neither are clients that left.
 */
export const ACTION_OUTCOMES = ['ok', 'failed', 'refused'] as const;
export type ActionOutcome = (typeof ACTION_OUTCOMES)[number];

/**
 * After so long without an answer a request counts as failed, in ms: users see a fault by which requests hang, before any
 * time limit ends them. Labels have their own time limit, and whoever waits in their line is no fault.
 */
export const UNANSWERED_MS = 5_000;

/** The counter with the labels `action` and `outcome`, of each process that answers users. */
export const ACTIONS_METRIC = 'user_actions_total';
