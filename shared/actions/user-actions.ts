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
