import { type Static, Type } from 'typebox';
import type { UserAction } from '#shared/rooms.ts';

/**
 * What the canary does as a customer, the most telling first. A round makes those up to `page` by each way in. The others are periodic
 * checks. `other-label` prints another kind of label or picture. `delivery` brings a guide to its delivery, and finds each event in the
 * feed; `webhook` receives these. `clock` compares the time that answers name with the canary's own.
 */
export const STEPS = [
  'create',
  'read',
  'repeat',
  'print',
  'read-label',
  'quote',
  'branch',
  'postal-code',
  'page',
  'other-label',
  'delivery',
  'webhook',
  'manifest',
  'cancel',
  'login',
  'clock',
] as const;
export type Step = (typeof STEPS)[number];

/** The action whose users meet the same fault. That a label is wrong (`read-label`) no failure of an action tells. */
export const STEP_ACTIONS: Readonly<Partial<Record<Step, UserAction>>> = {
  create: 'create',
  read: 'read',
  repeat: 'create',
  print: 'print',
  quote: 'quote',
  branch: 'read',
  'postal-code': 'read',
  'other-label': 'print',
  delivery: 'event',
  webhook: 'webhook',
  manifest: 'manifest',
  cancel: 'event',
  login: 'login',
};

const MS = Type.Number({ minimum: 0 });

export const Fault = Type.Object({
  step: Type.Enum(STEPS),
  /** What is printed, for `other-label`: "PNG 10x15"; else empty. */
  form: Type.String(),
  /** The step succeeds, later than its objective. */
  isLate: Type.Boolean(),
  /** Since the first bad round of the fault. */
  sinceMs: MS,
  /** What was answered, in Spanish: "503 saturado", "sin respuesta en 10 s", "1.9 s, objetivo 300 ms". */
  answer: Type.String(),
});
export type Fault = Static<typeof Fault>;

/** `customers`: the address that customers use. `process`: one api process. */
export const WAYS = ['customers', 'process'] as const;
export type Way = (typeof WAYS)[number];

export const WayReport = Type.Object({
  way: Type.Enum(WAYS),
  /** Host and port that were asked. */
  host: Type.String(),
  /** Since the first round by this way began. */
  triedForMs: MS,
  /** From the start of a round to that of the next one, where that is more than `ROUND_MS`. */
  everyMs: Type.Optional(MS),
  /** Age of the end of the last good round; absent if there was none yet. */
  goodAgoMs: Type.Optional(MS),
  /** Duration of the last good round, from the request of the guide to the label that was read. */
  tookMs: Type.Optional(MS),
  /** What customers cannot do by this way, if anything. */
  fault: Type.Optional(Fault),
});
export type WayReport = Static<typeof WayReport>;

/** What the canary answers to `GET /health/rounds`. Times are ages by its own monotonic clock, in ms. */
export const CanaryReport = Type.Object({
  /** `refused`: the key is answered 401 by every way. `limited`: the account has reached a limit, 429. Nothing is tried meanwhile. */
  key: Type.Enum(['ok', 'refused', 'limited']),
  /** Why it does not try yet, though nothing is wrong with the service. */
  waiting: Type.Optional(Type.Enum(['no-branches'])),
  ways: Type.Array(WayReport),
  /** Faults of the periodic checks. */
  checks: Type.Array(Fault),
  uptimeMs: MS,
});
export type CanaryReport = Static<typeof CanaryReport>;

/** Time from the start of a round by a way to that of the next one, in ms. */
export const ROUND_MS = 15_000;
/** Age in ms up to which a good round says that customers are served. */
export const GOOD_ROUND_MAX_AGE_MS = 3 * ROUND_MS;

/** Returns the age in ms up to which a good round by this way says so. */
export function goodMsOf({ everyMs = 0 }: Pick<WayReport, 'everyMs'>): number {
  return Math.max(GOOD_ROUND_MAX_AGE_MS, 3 * everyMs);
}
