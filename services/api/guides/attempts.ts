import { setTimeout as delay } from 'node:timers/promises';
import { withTimeout } from '#shared/async/with-timeout.ts';
import { DomainError, type ErrorCode } from '#shared/errors/domain-error.ts';
import {
  isConflict,
  isOutOfSpace,
  isServerAway,
  isTransientError,
  isUndone,
} from '#shared/stores/transient-errors.ts';

/** Longest time in which a request stores something, in ms; what became of it must be known by then. */
export const STORE_MS = 10_000;
/** Longest wait for one answer of the database, in ms, and the pause before the next attempt. */
const ATTEMPT_MS = 5_000;
const PAUSE_MS = 200;
/**
 * The pause after a write that was taken back because it met others, in ms. DocumentDB takes back one a second of those that
 * meet, and one that comes again within this second keeps all of them from ending.
 */
const pauseAfterMeeting = () => 1_000 + Math.random() * 3_000;

/**
 * Repeats the writes of one request until they are answered or its time is over. Each write is idempotent, so a lost
 * answer does no harm.
 */
export class Attempts {
  readonly #end = performance.now() + STORE_MS;
  readonly #unknown: ErrorCode;
  /** Set once a write may have been done without an answer, or the guides are committed. */
  #doubt = false;

  /** @param unknown error code if the outcome is unknown. */
  constructor(unknown: ErrorCode) {
    this.#unknown = unknown;
  }

  /** From now on the guides will exist, whatever fails. */
  committed(): void {
    this.#doubt = true;
  }

  /** Waits before the caller looks again. @throws DomainError with the code `unknown` once the time is over. */
  async pause(): Promise<void> {
    if (performance.now() + PAUSE_MS >= this.#end) throw new DomainError(this.#unknown);
    await delay(PAUSE_MS);
  }

  /** @throws DomainError with the code `unknown` if something may be stored; otherwise the error of the write. */
  async untilAnswered<T>(write: () => Promise<T>): Promise<T> {
    for (;;) {
      const left = Math.max(0, this.#end - performance.now());
      try {
        return await withTimeout(Math.min(ATTEMPT_MS, left), 'A write', write());
      } catch (cause) {
        this.#doubt ||= isTransientError(cause) && !isUndone(cause);
        const isRefused = isServerAway(cause) || isOutOfSpace(cause);
        const isVain = !isTransientError(cause) || (isRefused && !this.#doubt);
        const pause = isConflict(cause) ? pauseAfterMeeting() : PAUSE_MS;
        if (isVain || performance.now() + pause >= this.#end) {
          throw this.#doubt ? new DomainError(this.#unknown, { cause }) : cause;
        }
        await delay(pause);
      }
    }
  }
}
