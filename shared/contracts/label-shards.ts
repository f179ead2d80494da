import { hash } from 'node:crypto';
import { splitRedisAddresses } from '#shared/config/redis-address.ts';

/**
 * Labels may be spread over several shards. Each has a Redis, or a part of one, with a queue, the finished labels and the
 * heartbeats of the label workers that print for it; no shard knows of another (docs/decisions/0038-label-shards.md).
 */
export type LabelShard = {
  /** Its place in `REDIS_URLS`, from 0; metrics and logs name it so. */
  name: string;
  url: string;
  /** Of its keys: that of all else for shard 0, `{guias-1}` and so on for the next. Each has a slot of its own in a Redis Cluster. */
  prefix: string;
};

/** Returns the shards of an installation; without `REDIS_URLS` the one that is in the Redis of all else. */
export function labelShards(settings: {
  REDIS_URL: string;
  REDIS_URLS?: string;
  REDIS_PREFIX: string;
}): [LabelShard, ...LabelShard[]] {
  const { REDIS_URL, REDIS_URLS = REDIS_URL, REDIS_PREFIX: prefix } = settings;
  const shards = splitRedisAddresses(REDIS_URLS).map((url, i) => ({
    name: `${i}`,
    url,
    prefix: i === 0 ? prefix : prefix.replace('}', `-${i}}`),
  }));
  return shards as [LabelShard, ...LabelShard[]];
}

/**
 * Returns whether a shard is where all else is, so that both may share a connection. Not in another slot of the same Redis
 * Cluster: a client sends the commands of one turn together, and a Cluster refuses them.
 */
export function isCommon(
  settings: { REDIS_URL: string; REDIS_PREFIX: string },
  { url, prefix }: Pick<LabelShard, 'url' | 'prefix'>,
): boolean {
  return url === settings.REDIS_URL && prefix === settings.REDIS_PREFIX;
}

/**
 * Returns the shard of all labels of a guide, by rendezvous hashing: of N + 1 shards the new one takes 1 / (N + 1) of the
 * guides, from each of the others, and none moves between those.
 */
export function shardOf(guideNumber: string, shards: number): number {
  if (shards === 1) return 0;
  const guide = hash('sha1', guideNumber, 'buffer').readInt32BE();
  let chosen = 0;
  let most = -1;
  for (let shard = 0; shard < shards; shard++) {
    const weight = mix(guide + Math.imul(shard, 0x9e3779b1));
    if (weight > most) [chosen, most] = [shard, weight];
  }
  return chosen;
}

/** Returns 32 bits each of which depends on each bit of the input (the finalizer of MurmurHash3). */
function mix(bits: number): number {
  const first = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2ae35);
  return (second ^ (second >>> 16)) >>> 0;
}
