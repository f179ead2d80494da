import { Ajv } from 'ajv';
import { type Static, Type } from 'typebox';
import { USER_ACTIONS, type UserAction } from '#shared/rooms.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import type { Diagnosis, Effect, LastSeen } from './diagnoses/diagnosis.ts';
import { REDIS_RETURNS } from './diagnoses/processes.ts';

/** How long the page tells of an episode after its end. */
const KEPT_MS = 3_600_000;
/** What comes back within this time has not ended. */
const GAP_MS = 60_000;
const SHORT_MS = 1_000;
const MAX_EPISODES = 50;
const MAX_SHOWN = 10;
/** What a cause held up still fails or is late for so long. */
const AFTERMATH_MS = 300_000;
const REDIS_OUTAGES = ['redis', 'redis-read-only'];

/** A diagnosis, and when it was seen first and last, in ms since 1970 by the clock of Redis. */
const Episode = Type.Object({
  id: Type.String(),
  text: Type.String(),
  causes: Type.Optional(Type.Array(Type.Enum(USER_ACTIONS))),
  effectOn: Type.Optional(Type.Array(Type.Enum(USER_ACTIONS))),
  fades: Type.Optional(Type.Boolean()),
  from: Type.Integer(),
  to: Type.Integer(),
});
export type Episode = Static<typeof Episode>;
const isEpisode = new Ajv({ validateSchema: false }).compile<Episode>(Episode);

/**
 * Remembers the diagnoses of the last hour as episodes, in the hash `{prefix}:problems` of the queue's Redis: `<id> <from>` → an
 * `Episode` as JSON. All dashboards write the same, so it does not matter how many there are. While Redis is away, this process
 * remembers, and writes afterwards.
 */
export class DiagnosisHistory {
  readonly #redis: RedisClient;
  readonly #key: string;
  #episodes = new Map<string, Episode>();
  readonly #unwritten = new Set<string>();
  #aheadMs = Date.now() - performance.now();

  constructor(redis: RedisClient, prefix: string) {
    this.#redis = redis;
    this.#key = `${prefix}:problems`;
  }

  /** Returns the time of Redis in ms since 1970, extrapolated since the last call of `record`. */
  now(): number {
    return Math.round(performance.now() + this.#aheadMs);
  }

  /** Reads what other dashboards have seen. */
  async read(): Promise<void> {
    const stored = await this.#redis.hgetall(this.#key).catch(() => ({}));
    for (const [field, text] of Object.entries<string>(stored)) {
      const episode = parse(text);
      if (episode && !this.#unwritten.has(field)) this.#episodes.set(field, episode);
    }
  }

  /**
   * Keeps the diagnoses of a status, apart from notes.
   * @param at in ms since 1970. @param begun when reading the status began.
   */
  async record(diagnoses: readonly Diagnosis[], at: number, begun = at): Promise<void> {
    this.#aheadMs = at - performance.now();
    for (const { id, level, text, causes = [], effectOn = [], fades } of diagnoses) {
      if (level === 'nota' || id === REDIS_RETURNS) continue;
      const from = this.#current(id, at)?.from ?? begun;
      const field = `${id} ${from}`;
      const harms = { causes: causes.filter(isAction), effectOn: effectOn.filter(isAction) };
      this.#episodes.set(field, { id, text, ...harms, ...(fades && { fades }), from, to: at });
      this.#unwritten.add(field);
    }
    const old = this.#forget(at);
    if (this.#unwritten.size === 0 && old.length === 0) return;
    const writes = this.#redis.multi();
    for (const field of this.#unwritten)
      writes.hset(this.#key, field, JSON.stringify(this.#episodes.get(field)));
    if (old.length > 0) writes.hdel(this.#key, ...old);
    const results = await writes
      .pexpire(this.#key, KEPT_MS)
      .exec()
      .catch(() => null);
    if (results?.every(([error]) => error === null)) this.#unwritten.clear();
  }

  /** Returns when a diagnosis that is seen now was seen first; undefined if it is new, or a note. */
  since(id: string, at: number): number | undefined {
    return this.#current(id, at)?.from;
  }

  lastSeen(): LastSeen {
    const latest = (episodes: Episode[]) => Math.max(0, ...episodes.map(({ to }) => to));
    // A process may read its first status before its connection is open.
    const all = [...this.#episodes.values()].filter((one) => !isShort(one));
    const harmed = (action: UserAction) => latest(all.filter(({ causes }) => causes?.includes(action)));
    return {
      harmed: Object.fromEntries(USER_ACTIONS.map((action) => [action, harmed(action)])),
      redis: latest(all.filter(({ id }) => REDIS_OUTAGES.includes(id))),
    };
  }

  /**
   * Returns the episodes of the last hour that have ended, the last one first. Leaves out what one status alone had, what was only
   * forgotten, and effects of a cause that was named.
   */
  ended(now: readonly Diagnosis[]): Episode[] {
    const current = new Set(now.map(({ id }) => id));
    const all = [...this.#episodes.values()].sort((one, other) => one.from - other.from);
    const isExplained = ({ effectOn = [], from, to }: Episode) =>
      all.some(
        ({ causes = [], ...cause }) =>
          causes.some((action) => effectOn.includes(action)) &&
          from <= cause.to + AFTERMATH_MS &&
          to >= cause.from - GAP_MS,
      );
    const merged: Episode[] = [];
    for (const episode of all) {
      const isTold = !current.has(episode.id) && !isShort(episode) && !episode.fades;
      if (!isTold || isExplained(episode)) continue;
      // Two dashboards that see the same at the same moment may each begin an episode.
      const same = merged.find(({ id, to }) => id === episode.id && episode.from <= to + GAP_MS);
      if (same) Object.assign(same, { text: episode.text, to: Math.max(same.to, episode.to) });
      else merged.push({ ...episode });
    }
    return merged.sort((one, other) => other.to - one.to).slice(0, MAX_SHOWN);
  }

  #current(id: string, at: number): Episode | undefined {
    return [...this.#episodes.values()]
      .filter((episode) => episode.id === id && episode.to >= at - GAP_MS)
      .sort((one, other) => one.from - other.from)[0];
  }

  /** Forgets what ended over an hour ago, and the oldest ones of too many. @returns the fields. */
  #forget(at: number): string[] {
    const byEnd = [...this.#episodes].sort(([, one], [, other]) => other.to - one.to);
    const old = byEnd
      .filter(([, { to }], i) => to < at - KEPT_MS || i >= MAX_EPISODES)
      .map(([field]) => field);
    for (const field of old) {
      this.#episodes.delete(field);
      this.#unwritten.delete(field);
    }
    return old;
  }
}

/** Returns whether one status alone had it, such as a store that took too long once. */
function isShort({ from, to }: Episode): boolean {
  return to - from < SHORT_MS;
}

function isAction(effect: Effect): effect is UserAction {
  return USER_ACTIONS.some((action) => action === effect);
}

function parse(text: string): Episode | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isEpisode(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
