/**
 * What users do with the service. Each is counted where it is answered, by how it ended, and from these counts follow the
 * page "Estado" and the alerts (`k8s/monitoring/alerts.yml`).
 *
 * `create` includes `validar`; `print` is every request for labels, files included; `event` registers, simulates and reads
 * events, and cancels guides; `manifest` hands guides over; `webhook` delivers a message to a receiver.
 */
export const USER_ACTIONS = ['login', 'create', 'quote', 'print', 'event', 'manifest', 'webhook'] as const;
export type UserAction = (typeof USER_ACTIONS)[number];

/**
 * `ok`: the user got what was asked for, or an error of the user's own (4xx). `failed`: the fault is ours (5xx other than a
 * refusal; for a webhook, whatever keeps us from sending). `refused`: the service was too busy (503 `saturado`). Requests over
 * an account's limit (429) and clients that left are not counted.
 */
export const ACTION_OUTCOMES = ['ok', 'failed', 'refused'] as const;
export type ActionOutcome = (typeof ACTION_OUTCOMES)[number];

/** The counter with the labels `action` and `outcome`, of each process that answers users. */
export const ACTIONS_METRIC = 'user_actions_total';

/**
 * When an action fails, for "Estado" and for the alerts: within `windowMinutes`, at least `least` were not `ok`, these are at
 * least `share` of all, and the last of them is at most `recentMinutes` old.
 */
export const FAILING = { windowMinutes: 30, recentMinutes: 10, least: 3, share: 0.02 } as const;
