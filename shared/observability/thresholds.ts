/**
 * From when on something is wrong, for the page "Estado" and for the alerts of k8s/monitoring, by the name of the alert if there is one. Services
 * import these numbers, and test/ops/thresholds.test.ts compares the rules and the runbook with them. What only an alert measures
 * stands in its rule alone. "Estado" says at once what is wrong; an alert waits (`for`), because nobody need wake for what passes.
 */

/**
 * When a user's action fails (CreationsFail and its like, RequestsFail by route): within `windowMinutes`, at least `least` were not
 * `ok`, these are at least `share` of all, and the last of them is at most `recentMinutes` old.
 *
 * "Estado" also names at least `least` failures that are `lastShare` of the last requests, or all of the last few. So it sees a fault
 * at once, however many requests were well before, and drops it when requests succeed again. An alert looks back, and would stay on.
 */
export const FAILING = {
  windowMinutes: 30,
  recentMinutes: 10,
  least: 3,
  share: 0.02,
  lastShare: 0.25,
} as const;

/**
 * The alert counts failures, because a worker that loses its Chromium starts another. "Estado" names a Chromium that does not start
 * at once, and one that starts for `startMs`: half a second is usual.
 */
export const CHROMIUM_RESTARTS = { failures: 3, windowMinutes: 15, startMs: 5_000 } as const;

/** Age of what an api has last read of the log of tariffs. */
export const TARIFF_STALE = { ageMs: 60_000 } as const;

/** Difference of a process's clock. NTP keeps clocks within a second. */
export const CLOCKS_DIFFER = { ms: 60_000 } as const;

/** Share of its memory that the queue's Redis uses. */
export const REDIS_FULL = { share: 0.8 } as const;

/**
 * Age of the event that a webhook waits to send. "Estado" also names webhooks that fail for less, as a customer's own matter; as
 * ours, if there are `many` and they are more than `manyShare` of all. Of our own faults, the alert is WebhooksFail.
 */
export const WEBHOOKS_BEHIND = { ageMs: 600_000, many: 3, manyShare: 0.1 } as const;
