import { LRUCache } from 'lru-cache';
import { FailureLog } from '#shared/observability/failure-log.ts';
import type { Logger } from '#shared/observability/logger.ts';
import type { Key, KeyStore } from './key-store.ts';

/** Keys in use that a process remembers, of some 100 bytes each. */
const MAX_IN_USE = 20_000;
/** When the day of a use is stored again that MongoDB did not take. */
const STORE_AGAIN_MS = 60_000;
/** In place of the day of a use that is stored later. */
const LATER = Number.POSITIVE_INFINITY;

/** Stores the days on which keys are used (docs/contract.md "Keys"). */
export class KeyUses {
  readonly #keys: KeyStore;
  readonly #storing: FailureLog;
  /** By digest, the day of the last use that this process has stored. */
  readonly #days = new LRUCache<string, number>({ max: MAX_IN_USE });

  constructor(keys: KeyStore, log: Pick<Logger, 'warn' | 'info'>) {
    this.#keys = keys;
    this.#storing = new FailureLog(log, {
      failed: `MongoDB did not store the day of a key's use; a use in ${STORE_AGAIN_MS / 1_000} s stores it`,
      recovered: 'MongoDB stores the days of keys again',
    });
  }

  /** Stores that a key is used today, once a day. It does not fail. */
  async note(digest: string, key: Key): Promise<void> {
    if (this.#days.get(digest) === LATER) return;
    try {
      const today = await this.#keys.today();
      if ((this.#days.get(digest) ?? 0) >= today.getTime()) return;
      this.#days.set(digest, today.getTime());
      await this.#keys.used(key, today);
      this.#storing.succeeded();
    } catch (err) {
      this.#days.set(digest, LATER, { ttl: STORE_AGAIN_MS });
      this.#storing.failed(err);
    }
  }
}
