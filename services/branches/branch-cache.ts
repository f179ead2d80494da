import { randomUUID } from 'node:crypto';
import { type Branch, branchCode, type DestinationQuery } from '#shared/branches/branch.ts';
import type { Dataset, Directory, FoundBranch, Snapshot } from '#shared/branches/branch-store.ts';
import { chunks } from '#shared/stores/chunks.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import { coverageRanges } from './coverage-ranges.ts';

/** Leftovers of an interrupted rebuild expire after this time. */
const UNFINISHED_TTL_S = 60;
const WRITE_CHUNK = 1_000;
/** The field with the stamp. */
const STAMP = 'version:rows';

/**
 * The branches and their coverage in one Redis hash, so that one HMGET serves a whole creation request:
 *
 * | field | value |
 * |---|---|
 * | `version:rows` | the stamp of the rows that the hash was made from |
 * | `b:<code>` | the branch, as JSON |
 * | `cp:<postal code>` | the branch that covers it, as JSON |
 * | `ruta:<postal code>` | its route, if it has one |
 * | `active` | the active branches, ordered by code, as a JSON array |
 * | `coverage` | the ranges of covered postal codes, as JSON |
 *
 * The stamp is read with every answer: an absent field means "unknown" only in a hash with that stamp.
 */
export class BranchCache {
  readonly #redis: RedisClient;
  readonly #key: string;

  constructor(redis: RedisClient, prefix: string) {
    this.#redis = redis;
    this.#key = `${prefix}:branches`;
  }

  /** Returns the stamp of the hash; null if there is no hash. */
  stamp(): Promise<string | null> {
    return this.#redis.hget(this.#key, STAMP);
  }

  /** Returns what is found in the order of `queries`; undefined if the hash has another stamp. */
  async find(
    stamp: string,
    queries: readonly DestinationQuery[],
  ): Promise<(FoundBranch | null)[] | undefined> {
    const postalCodes = queries.flatMap((query) => ('postalCode' in query ? query.postalCode : []));
    const values = await this.#read(stamp, [...queries.map(fieldOf), ...postalCodes.map(routeField)]);
    if (!values) return undefined;
    const routes = new Map(postalCodes.map((code, i) => [code, values[queries.length + i]]));
    return queries.map((query, i) => {
      const branch = values[i];
      if (!branch) return null;
      const route = 'postalCode' in query ? routes.get(query.postalCode) : undefined;
      return { branch: JSON.parse(branch) as Branch, ...(route && { route }) };
    });
  }

  /** Returns JSON as `listingOf` does; undefined if the hash has another stamp. */
  async active(stamp: string): Promise<string | undefined> {
    return (await this.#read(stamp, ['active']))?.[0] ?? undefined;
  }

  /** Returns the JSON of `coverageRanges`; undefined if the hash has another stamp. */
  async coverage(stamp: string): Promise<string | undefined> {
    return (await this.#read(stamp, ['coverage']))?.[0] ?? undefined;
  }

  /**
   * Replaces the whole hash or nothing.
   * @throws Error of the first command that Redis refuses, for example because it is full. The former hash then stays.
   */
  async replace(snapshot: Snapshot): Promise<void> {
    const unfinished = `${this.#key}:${randomUUID()}`;
    const fields = fieldsOf(snapshot);
    try {
      for (const chunk of chunks([...fields], WRITE_CHUNK)) {
        await this.#redis.hset(unfinished, new Map(chunk));
        await this.#redis.expire(unfinished, UNFINISHED_TTL_S);
      }
      // A process that was suspended for a minute has lost the first fields.
      const written = await this.#redis.hlen(unfinished);
      if (written !== fields.size) throw new Error(`${written} of ${fields.size} fields were written`);
      await this.#publish(unfinished);
    } catch (error) {
      await this.#redis.unlink(unfinished).catch(() => {}); // otherwise the key expires
      throw error;
    }
  }

  async #publish(unfinished: string): Promise<void> {
    const answers = await this.#redis.multi().persist(unfinished).rename(unfinished, this.#key).exec();
    for (const [error] of answers ?? []) if (error) throw error;
  }

  async #read(stamp: string, fields: readonly string[]): Promise<(string | null)[] | undefined> {
    const [cached, ...values] = await this.#redis.hmget(this.#key, STAMP, ...fields);
    return cached === stamp ? values : undefined;
  }
}

/**
 * Returns what tells one state of the database from another, such as `7.9:5.95999`: the version, and the rows of branches and
 * of coverage: those that were loaded, or those that there are if they are more. The version alone would not do: rows of a load that did not count them may be lost and come back.
 */
export function stampOf({ version, branches, coverage }: Directory): string {
  const rowsOf = (dataset: Dataset | undefined) => Math.max(dataset?.rows ?? 0, dataset?.found ?? 0);
  return `${version}:${rowsOf(branches)}.${rowsOf(coverage)}`;
}

/** Returns the active branches as a JSON array, ordered by code. */
export function listingOf(branches: readonly Branch[]): string {
  const active = branches.filter(({ Activa }) => Activa);
  return JSON.stringify(active.sort((one, other) => (one.Codigo < other.Codigo ? -1 : 1)));
}

function fieldsOf(snapshot: Snapshot): Map<string, string> {
  const { version, branches, coverage } = snapshot;
  const fields = new Map<string, string>();
  // Serializes each branch once, instead of once for each postal code.
  for (const branch of branches) fields.set(fieldOf({ code: branch.Codigo }), JSON.stringify(branch));
  for (const { postalCode, code, route } of coverage) {
    const branch = fields.get(fieldOf({ code }));
    if (branch) fields.set(fieldOf({ postalCode }), branch);
    if (branch && route) fields.set(routeField(postalCode), route);
  }
  fields.set('active', listingOf(branches)).set('coverage', JSON.stringify(coverageRanges(snapshot)));
  const stamp = stampOf({
    version,
    branches: { found: branches.length },
    coverage: { found: coverage.length },
  });
  return fields.set(STAMP, stamp);
}

function routeField(postalCode: string): string {
  return `ruta:${postalCode}`;
}

function fieldOf(query: DestinationQuery): string {
  return 'code' in query ? `b:${branchCode(query.code)}` : `cp:${query.postalCode}`;
}
