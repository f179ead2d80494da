import { randomUUID } from 'node:crypto';
import type { Registry } from 'prom-client';
import { MAX_ASKERS } from '#shared/contracts/label-askers.ts';
import type { LabelPayload } from '#shared/contracts/label-job.ts';
import { shardOf } from '#shared/contracts/label-shards.ts';
import { DomainError } from '#shared/errors.ts';
import type { QuotaReport } from '../quotas/quota-report.ts';
import { addQueueGauges, type LabelFailureReason, labelMetrics } from './label-metrics.ts';
import { type Asker, LabelShard, type LabelShardOptions, type PrintedLabel } from './label-shard.ts';

type LabelResult = PrintedLabel & { source: 'cache' | 'printed' };

/** A label that requests wait for. */
type Wait = {
  shard: LabelShard;
  askers: number;
  abandoned: AbortController;
  result: Promise<LabelResult>;
  /** Ids of the requests beside the first one; once a worker is to print the label, its log is to have them. */
  joined: string[];
  printing: boolean;
};

type Options = {
  /** In the order of `REDIS_URLS`. */
  shards: readonly Omit<LabelShardOptions, 'onWanted' | 'process'>[];
  metrics: Registry;
  report: QuotaReport;
};

/** Gets labels from the cache of their shard, or has them printed there within the share of the account that asks. */
export class LabelClient {
  readonly #shards: readonly LabelShard[];
  readonly #metrics: ReturnType<typeof labelMetrics>;
  readonly #report: QuotaReport;
  readonly #waits = new Map<string, Wait>();

  constructor({ shards, metrics, report }: Options) {
    this.#report = report;
    this.#metrics = labelMetrics(
      metrics,
      shards.map(({ name }) => name),
    );
    const process = randomUUID();
    this.#shards = shards.map(
      (shard) => new LabelShard({ ...shard, process, onWanted: () => this.#metrics.wanted(shard.name) }),
    );
    addQueueGauges(metrics, this.#shards);
  }

  /** Resolves when the Redis of a shard is there. The others follow by themselves: each serves its own labels. */
  async open(): Promise<void> {
    await Promise.any(this.#shards.map((shard) => shard.open()));
  }

  async close(): Promise<void> {
    await Promise.all(this.#shards.map((shard) => shard.close()));
  }

  /**
   * Returns the key that a label has when the newest worker prints it. While workers differ, as during an upgrade, a
   * label may come from another one, under that worker's key (docs/labels.md "Versions").
   */
  keyOf(label: LabelPayload): string {
    return this.#shardOf(label).keyOf(label);
  }

  /**
   * Returns a label, printed if it is not in the cache. Requests for a label that is already in flight share its
   * result, also its failure: a thousand at once are one job and one read, in the share of the account that asked first.
   *
   * @throws DomainError `too-many-pages` when the account has too many in flight.
   * @throws DomainError `overloaded`, with the seconds after which to try again, when the label would not be printed in
   * time behind those of the account that wait.
   * @throws DomainError `no-printer` when no label worker is alive, or none gets anything done.
   * @throws DomainError `label-failed` when it cannot be printed, `label-late` when not in time.
   * @throws DomainError `client-gone` when nobody waits for it any more.
   * @throws DomainError `unavailable` until the Redis of its shard was there.
   */
  async print(label: LabelPayload, asker: Asker): Promise<PrintedLabel> {
    if (asker.gone.aborted) throw new DomainError('client-gone');
    const asked = performance.now();
    const shard = this.#shardOf(label);
    const key = shard.keyOf(label);
    const known = this.#waits.get(key);
    const wait = known ?? this.#begin(shard, key, label, asker);
    if (known) this.#join(key, known, asker.requestId);
    wait.askers++;
    const leave = () => this.#leave(key, wait);
    asker.gone.addEventListener('abort', leave);
    try {
      const { source, ...printed } = await wait.result;
      this.#metrics.answered(source, asked);
      return printed;
    } finally {
      asker.gone.removeEventListener('abort', leave);
    }
  }

  /** Counts a request for labels that got none, also one that did not come as far as `print`. */
  countFailure(reason: LabelFailureReason, account: string | undefined): void {
    this.#metrics.failed(reason);
    if (reason === 'quota' && account !== undefined) this.#report.refused('pages', account);
  }

  /** Returns which of the labels are in the cache. */
  async inCache(labels: readonly LabelPayload[]): Promise<boolean[]> {
    const found = new Set<LabelPayload>();
    const look = async (shard: LabelShard, own: readonly LabelPayload[]) => {
      const cached = await shard.inCache(own);
      for (const [i, label] of own.entries()) if (cached[i]) found.add(label);
    };
    const byShard = Map.groupBy(labels, (label) => this.#shardOf(label));
    await Promise.all([...byShard].map(([shard, own]) => look(shard, own)));
    return labels.map((label) => found.has(label));
  }

  #shardOf({ number }: LabelPayload): LabelShard {
    return this.#shards[shardOf(number, this.#shards.length)] as LabelShard;
  }

  #begin(shard: LabelShard, key: string, label: LabelPayload, asker: Asker): Wait {
    const { promise: result, resolve } = Promise.withResolvers<LabelResult>();
    const wait = { shard, askers: 0, abandoned: new AbortController(), result, joined: [], printing: false };
    this.#waits.set(key, wait);
    resolve(this.#get(key, label, asker, wait).finally(() => this.#end(key, wait)));
    return wait;
  }

  #join(key: string, wait: Wait, requestId: string): void {
    if (wait.joined.length >= MAX_ASKERS) return;
    wait.joined.push(requestId);
    if (wait.printing) wait.shard.tellWorker(key, [requestId]);
  }

  #leave(key: string, wait: Wait): void {
    wait.askers--;
    if (wait.askers > 0) return;
    wait.abandoned.abort();
    this.#end(key, wait);
  }

  /** Whoever asks for the label from now on begins anew. */
  #end(key: string, wait: Wait): void {
    if (this.#waits.get(key) === wait) this.#waits.delete(key);
  }

  async #get(key: string, label: LabelPayload, asker: Asker, wait: Wait): Promise<LabelResult> {
    const { shard, joined, abandoned } = wait;
    const cached = await shard.read(key);
    if (cached) return { source: 'cache', key, bytes: cached };
    wait.printing = true;
    if (joined.length > 0) shard.tellWorker(key, joined);
    return { source: 'printed', ...(await shard.print(key, label, asker, abandoned.signal)) };
  }
}
