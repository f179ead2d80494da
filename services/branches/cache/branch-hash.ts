import { type Branch, branchCode } from '#shared/contracts/branch.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import type { Snapshot } from '../store/branch-store.ts';
import { chunks } from '../store/chunks.ts';

/** Lifetime of a hash that is being written, in s: what a rebuild that dies leaves behind expires by itself. */
const UNFINISHED_TTL = 60;
/** Fields in one command. */
const WRITE_CHUNK = 1_000;

/**
 * The branches and their coverage in one Redis hash, so that a whole creation request is one HMGET:
 *
 * | field | value |
 * |---|---|
 * | `version` | of the snapshot that the hash was made from |
 * | `b:<code>` | the branch, as JSON |
 * | `cp:<postal code>` | the branch that covers it, as JSON; only where the branch is a valid destination |
 * | `active` | the active branches, ordered by code, as a JSON array |
 *
 * `version` is read with every answer: an absent field means "unknown" only where the version is present, and
 * "cold cache" otherwise.
 */
export class BranchHash {
  readonly #redis: RedisClient;
  readonly #key: string;

  constructor(redis: RedisClient, key: string) {
    this.#redis = redis;
    this.#key = key;
  }

  /** Returns the version of the snapshot that the hash was made from; null where there is no hash. */
  version(): Promise<string | null> {
    return this.#redis.hget(this.#key, 'version');
  }

  /** Returns the values of fields; undefined where there is no hash. */
  async read(fields: readonly string[]): Promise<(string | null)[] | undefined> {
    const [version, ...values] = await this.#redis.hmget(this.#key, 'version', ...fields);
    return version ? values : undefined;
  }

  /**
   * Replaces the hash as a whole, by RENAME: no reader sees half of one.
   *
   * @param suffix tells the unfinished hash apart from one that another process writes.
   */
  async replace(snapshot: Snapshot, suffix: string): Promise<void> {
    const unfinished = `${this.#key}:${suffix}`;
    const pipeline = this.#redis.pipeline();
    for (const chunk of chunks([...fieldsOf(snapshot)], WRITE_CHUNK)) {
      pipeline.hset(unfinished, new Map(chunk)).expire(unfinished, UNFINISHED_TTL);
    }
    pipeline.persist(unfinished).rename(unfinished, this.#key);
    for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
  }
}

export function branchField(code: string): string {
  return `b:${branchCode(code)}`;
}

export function coverageField(postalCode: string): string {
  return `cp:${postalCode}`;
}

/** Tells whether guides may be sent to the branch (docs/contract.md "Branches"). */
export function isDestination({ Activa, Destino }: Branch): boolean {
  return Activa && Destino;
}

function fieldsOf({ version, branches, coverage }: Snapshot): Map<string, string> {
  const byCode = new Map(branches.map((branch) => [branchCode(branch.Codigo), branch]));
  const active = [...byCode.values()].filter(({ Activa }) => Activa);
  active.sort((one, other) => (one.Codigo < other.Codigo ? -1 : 1));
  const fields = new Map([
    ['version', version],
    ['active', JSON.stringify(active)],
  ]);
  // JSON is made once a branch, not once a postal code, which took a quarter of a rebuild.
  for (const [code, branch] of byCode) fields.set(branchField(code), JSON.stringify(branch));
  for (const { postalCode, code } of coverage) {
    const branch = byCode.get(branchCode(code));
    if (branch && isDestination(branch)) {
      fields.set(coverageField(postalCode), fields.get(branchField(code)) as string);
    }
  }
  return fields;
}
