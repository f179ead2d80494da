import type { Logger } from './logger.ts';

type Messages = {
  failed: string | ((error: Error) => string);
  /** Absent if the recovery is not worth a line. */
  recovered?: string;
};

/** Logs the first failure of repeated work, each other reason once, and the recovery. */
export class FailureLog {
  readonly #log: Pick<Logger, 'info' | 'warn'>;
  readonly #messages: Messages;
  readonly #reasons = new Set<string>();

  constructor(log: Pick<Logger, 'info' | 'warn'>, messages: Messages) {
    this.#log = log;
    this.#messages = messages;
  }

  get isFailing(): boolean {
    return this.#reasons.size > 0;
  }

  failed(error: unknown): void {
    const err = error as Error;
    const { failed } = this.#messages;
    if (!this.#reasons.has(err.message))
      this.#log.warn({ err }, typeof failed === 'string' ? failed : failed(err));
    this.#reasons.add(err.message);
  }

  succeeded(): void {
    const { recovered } = this.#messages;
    if (this.isFailing && recovered !== undefined) this.#log.info(recovered);
    this.#reasons.clear();
  }
}
