import type { Webhook } from '#shared/webhooks/webhook-model.ts';
import type { Outcome } from './webhook-client.ts';

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];
/** Pauses before the next try, in ms, by the number of failed tries; the last one repeats. */
const PAUSES_MS = [5 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 12 * HOUR];
/** Random share of a pause, so that receivers on one server are not all tried at once. */
const JITTER = 0.2;
/** A webhook that has had no success for so long is disabled. */
const DISABLE_AFTER_MS = 5 * 24 * HOUR;
const GONE = 410;
/** Pause of the canary's webhook, in ms: its step `webhook` must succeed soon after the fault has ended. */
const CANARY_PAUSE_MS = 15 * SECOND;

/** What follows a failed message (docs/contract.md "Webhooks"). */
export type Consequence = { disableReason: string } | { pauseMs: number };

/** @param webhook as it was before this try. @param now by the database's clock. */
export function afterFailure(
  { failures, failingSince, canaryOf }: Pick<Webhook, 'failures' | 'failingSince' | 'canaryOf'>,
  { status, retryAfterS = 0, mayBeOurs }: Outcome,
  now: Date,
): Consequence {
  if (canaryOf !== undefined) return { pauseMs: CANARY_PAUSE_MS };
  const jitter = 1 + JITTER * (2 * Math.random() - 1);
  // Our DNS or our proxy may be away for all webhooks. So none is disabled, and none waits for hours afterwards.
  if (mayBeOurs) return { pauseMs: MINUTE * jitter };
  if (status === GONE) return { disableReason: 'Respondio 410: ya no existe' };
  if (failingSince && now.getTime() - failingSince.getTime() >= DISABLE_AFTER_MS) {
    return { disableReason: 'Cinco dias sin exito' };
  }
  const pause = PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)] as number;
  // A receiver may ask for a longer pause, but not for a pause that would disable its webhook.
  const asked = Math.min(1_000 * retryAfterS, 12 * HOUR);
  return { pauseMs: Math.max(pause * jitter, asked) };
}
