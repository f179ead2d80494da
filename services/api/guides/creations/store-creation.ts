import { setTimeout as delay } from 'node:timers/promises';
import { withTimeout } from '#shared/async/with-timeout.ts';
import { DomainError } from '#shared/errors.ts';
import { isTransientError } from '#shared/stores/transient-errors.ts';
import { generateGuideNumber } from '../guide-number.ts';
import type { GuideRecord, GuideStore, StoredPart } from '../guide-store.ts';
import type { Outcome } from './creation-outcomes.ts';
import { isServerAway, isUnsent } from './unsent-writes.ts';

/** Longest time in which a creation is stored, in ms; what became of it must be known by then. */
const STORE_MS = 10_000;
/** Longest wait for one answer of the database, in ms, and the pause before the next attempt. */
const ATTEMPT_MS = 5_000;
const PAUSE_MS = 200;
/** How long guides stay pending before any process may end their creation, in ms: clocks may differ by the rest. */
const PENDING_MS = 3 * STORE_MS;
/** Rounds of new numbers. A number is taken once in 10^11 for each stored guide, so a second round is rare. */
const MAX_ROUNDS = 5;

type Options = {
  guides: GuideStore;
  /** Whether an earlier request may have stored some of the guides. */
  repeated?: boolean;
  /** Is told of a number that is another guide's before the one in its place is used. */
  renumbered?: (taken: string, fresh: string) => Promise<void>;
};

/**
 * Stores the guides of one creation, all or none (docs/decisions/0024-creations-end-once.md). A guide whose number is
 * another's gets a new one, in place. Where an answer of the database is lost, the same writes are repeated until the
 * time is over: they store nothing twice, and find what was stored.
 *
 * @returns `aborted` where another process took too long a creation for one that a crash had cut: nothing is stored.
 * @throws DomainError `result-unknown` where it cannot be known in time whether the guides are stored; after any other
 * error they are not.
 */
export async function storeCreation(records: readonly GuideRecord[], options: Options): Promise<Outcome> {
  const end = performance.now() + STORE_MS;
  const { guides, repeated } = options;
  const creation = records[0]?.creation ?? '';
  const stored = repeated
    ? await withTimeout(ATTEMPT_MS, 'Reading guides', guides.storedPart(records))
    : nothing(records);
  const inserting = new Attempts(end);
  if (records.length === 1) {
    await inserting.decisive(() => insertAll(records, stored, undefined, options, inserting));
    return 'created';
  }
  if (repeated && (await guides.outcomes.of([creation])).get(creation) === 'aborted') return 'aborted';
  await insertAll(records, stored, new Date(Date.now() + PENDING_MS), options, inserting);
  const committing = new Attempts(end);
  const outcome = await committing.decisive(() => committing.run(() => guides.outcomes.commit(creation)));
  // Nobody waits for it, since the guides can be read already. What fails here the sweep does.
  if (outcome === 'created') guides.complete(records).catch(() => {});
  return outcome;
}

/** Stores what is missing of a creation's guides. @param records all of them, so that a new number is none of theirs. */
async function insertAll(
  records: readonly GuideRecord[],
  stored: StoredPart,
  pendingUntil: Date | undefined,
  { guides, renumbered }: Options,
  attempts: Attempts,
): Promise<void> {
  const used = new Set(records.map(({ number }) => number));
  let { missing, taken } = stored;
  for (let round = 0; round <= MAX_ROUNDS; round++) {
    for (const record of taken) {
      const fresh = unusedNumber(used);
      await renumbered?.(record.number, fresh);
      record.number = fresh;
    }
    missing = [...missing, ...taken];
    if (missing.length === 0) return;
    taken = await attempts.run(() => insert(guides, missing, pendingUntil));
    missing = [];
  }
  throw new DomainError('internal');
}

/** @returns the guides whose number is another's; all others are stored. */
async function insert(
  guides: GuideStore,
  missing: readonly GuideRecord[],
  pendingUntil: Date | undefined,
): Promise<GuideRecord[]> {
  const refused = await guides.insert(missing, pendingUntil);
  if (refused.length === 0) return [];
  const stored = await guides.storedPart(refused);
  // Neither stored by a majority nor gone: a failover decides, and the next attempt learns it.
  if (stored.missing.length > 0) throw new DomainError('unavailable');
  return stored.taken;
}

function nothing(records: readonly GuideRecord[]): StoredPart {
  return { missing: [...records], taken: [] };
}

function unusedNumber(used: Set<string>): string {
  const fresh = generateGuideNumber();
  if (used.has(fresh)) return unusedNumber(used);
  used.add(fresh);
  return fresh;
}

/** Repeats a write whose answer is lost until it is answered, or until `end` by `performance.now()`. */
class Attempts {
  readonly #end: number;
  /** Whether the database may have done a write, or may do it yet, that it has not answered. */
  #doubt = false;

  constructor(end: number) {
    this.#end = end;
  }

  /** @param write may be repeated. Without a server there is no second attempt, unless the first one is in doubt. */
  async run<T>(write: () => Promise<T>): Promise<T> {
    for (;;) {
      const left = Math.max(0, this.#end - performance.now());
      try {
        return await withTimeout(Math.min(ATTEMPT_MS, left), 'Storing guides', write());
      } catch (error) {
        if (!isTransientError(error)) throw error;
        this.#doubt ||= !isUnsent(error);
        const inVain = isServerAway(error) && !this.#doubt;
        if (inVain || performance.now() + PAUSE_MS >= this.#end) throw error;
        await delay(PAUSE_MS);
      }
    }
  }

  /** Does what creates the guides. @throws DomainError `result-unknown` where a failure leaves in doubt whether it did. */
  async decisive<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      throw this.#doubt ? new DomainError('result-unknown', { cause }) : cause;
    }
  }
}
