import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Registry } from 'prom-client';
import { type Branch, branchCode, type DestinationQuery } from '#shared/contracts/branch.ts';
import { DomainError } from '#shared/errors.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { isTransientError } from '#shared/stores/transient-errors.ts';
import type { BranchStore, Snapshot } from '../store/branch-store.ts';
import { chunks } from '../store/chunks.ts';
import { cacheMetrics } from './cache-metrics.ts';

/** A rebuild that takes longer has died with its process; another one may start. In ms. */
const REBUILD_LEASE = 15_000;
/** Longest wait of a request for a cold cache, in ms. */
const WARM_DEADLINE = 5_000;
/** How often a waiting request looks whether another process has finished the rebuild, in ms. */
const WARM_POLL = 25;
/** How often the cache is compared with the database, in ms: a load is visible within a second. */
const REFRESH_INTERVAL = 300;

/**
 * The branches and their coverage in one Redis hash, so that a whole creation request is one HMGET:
 *
 * | field | value |
 * |---|---|
 * | `version` | of the snapshot that the hash was made from |
 * | `b:<code>` | the branch, JSON |
 * | `cp:<postal code>` | the branch that covers it, JSON; only where it may receive |
 * | `active` | the active branches, ordered by code, JSON array |
 *
 * `version` is read with every answer: an absent field means "unknown" only where the version is present, and
 * "cold cache" otherwise. The hash is replaced as a whole by RENAME, so no reader sees half of one.
 */
export class BranchCache {
  readonly #redis: Redis;
  readonly #store: BranchStore;
  readonly #log: Logger;
  readonly #hash: string;
  readonly #lock: string;
  readonly #metrics: ReturnType<typeof cacheMetrics>;
  #warming: Promise<void> | undefined;
  #refreshing: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(redis: Redis, prefix: string, store: BranchStore, log: Logger, metrics: Registry) {
    this.#redis = redis;
    this.#store = store;
    this.#log = log;
    this.#hash = `${prefix}:branches`;
    this.#lock = `${prefix}:branches-rebuild`;
    this.#metrics = cacheMetrics(metrics);
  }

  /** Fills the cache where it is cold, then keeps it in step with the database until `close`. */
  async open(): Promise<void> {
    await this.#refresh();
    this.#schedule();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#refreshing);
  }

  /** The active branches, ordered by code, as JSON text: it is only passed on. */
  async active(): Promise<string> {
    return (await this.#read(['active']))[0] ?? '[]';
  }

  /**
   * Origin and destinations of one creation request, in one round trip.
   *
   * @returns the origin where it is active and an origin; each destination, in the order asked, where it is
   * active and a destination.
   */
  async resolve(
    origin: string | null,
    destinations: readonly DestinationQuery[],
  ): Promise<{ origin: Branch | null; destinations: (Branch | null)[] }> {
    const fields = destinations.map((query) =>
      'code' in query ? `b:${branchCode(query.code)}` : `cp:${query.postalCode}`,
    );
    const values = await this.#read([`b:${branchCode(origin ?? '')}`, ...fields]);
    const [first, ...rest] = values.map((json) => (json ? (JSON.parse(json) as Branch) : undefined));
    return {
      origin: first?.Activa && first.Origen ? first : null,
      destinations: rest.map((branch) => (branch && mayReceive(branch) ? branch : null)),
    };
  }

  /** Values of fields; waits for a cold cache to be filled. */
  async #read(fields: string[]): Promise<(string | null)[]> {
    const deadline = performance.now() + WARM_DEADLINE;
    for (;;) {
      const [version, ...values] = await this.#redis.hmget(this.#hash, 'version', ...fields);
      this.#metrics.lookups.inc({ result: version ? 'hit' : 'miss' });
      if (version) return values;
      if (performance.now() > deadline) throw new DomainError('unavailable');
      await this.#warm();
    }
  }

  /** One attempt a process at a time, whoever asks. */
  #warm(): Promise<void> {
    this.#warming ??= this.#rebuildOrWait().finally(() => {
      this.#warming = undefined;
    });
    return this.#warming;
  }

  /** Rebuilds where no other process is at it, else waits a moment for that one. */
  async #rebuildOrWait(): Promise<void> {
    const token = randomUUID();
    if ((await this.#redis.set(this.#lock, token, 'PX', REBUILD_LEASE, 'NX')) === null) {
      await delay(WARM_POLL);
      return;
    }
    try {
      // The one who had the lock before may have done it.
      if (await this.#isCurrent()) return;
      await this.#rebuild(token);
      this.#metrics.rebuilds.inc({ result: 'ok' });
    } catch (error) {
      this.#metrics.rebuilds.inc({ result: 'failed' });
      throw error;
    } finally {
      if ((await this.#redis.get(this.#lock)) === token) await this.#redis.del(this.#lock);
    }
  }

  async #rebuild(token: string): Promise<void> {
    const stop = this.#metrics.rebuildSeconds.startTimer();
    const snapshot = await this.#store.snapshot();
    await this.#write(snapshot, token);
    const { version, branches, coverage } = snapshot;
    const ms = Math.round(stop() * 1_000);
    this.#log.info(
      { version, branches: branches.length, coverage: coverage.length, ms },
      'branch cache rebuilt',
    );
  }

  async #write({ version, branches, coverage }: Snapshot, token: string): Promise<void> {
    const byCode = new Map(branches.map((branch) => [branchCode(branch.Codigo), branch]));
    const active = [...byCode.values()].filter(({ Activa }) => Activa);
    active.sort((one, other) => (one.Codigo < other.Codigo ? -1 : 1));
    const fields = new Map([
      ['version', version],
      ['active', JSON.stringify(active)],
    ]);
    const receiving = new Map<string, string>();
    for (const [code, branch] of byCode) {
      // Made once a branch, not once a postal code: that is a quarter of a rebuild.
      const json = JSON.stringify(branch);
      fields.set(`b:${code}`, json);
      if (mayReceive(branch)) receiving.set(code, json);
    }
    for (const { postalCode, code } of coverage) {
      const json = receiving.get(branchCode(code));
      if (json) fields.set(`cp:${postalCode}`, json);
    }
    const fresh = `${this.#hash}:${token}`;
    const pipeline = this.#redis.pipeline();
    // What a rebuild that dies here leaves behind expires by itself; the finished hash must not.
    for (const chunk of chunks([...fields], 1_000)) pipeline.hset(fresh, new Map(chunk)).expire(fresh, 60);
    pipeline.persist(fresh).rename(fresh, this.#hash);
    for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
  }

  #schedule(): void {
    this.#refreshing = setTimeout(() => {
      this.#refresh()
        .catch((error: unknown) => {
          this.#log[isTransientError(error) ? 'warn' : 'error']({ err: error }, 'branch cache refresh');
        })
        .finally(() => {
          if (!this.#closed) this.#schedule();
        });
    }, REFRESH_INTERVAL);
  }

  async #refresh(): Promise<void> {
    if (!(await this.#isCurrent())) await this.#warm();
  }

  async #isCurrent(): Promise<boolean> {
    const [stored, cached] = await Promise.all([
      this.#store.version(),
      this.#redis.hget(this.#hash, 'version'),
    ]);
    return stored === cached;
  }
}

function mayReceive(branch: Branch): boolean {
  return branch.Activa && branch.Destino;
}
