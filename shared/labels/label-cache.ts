import type { Result } from 'ioredis';
import type { RedisClient } from '../stores/redis-client.ts';

/**
 * Finished labels, in a Redis of their own that evicts by itself (`allkeys-lru`). The label worker stores a label and
 * publishes the news; the api reads both.
 *
 * | key or channel | what |
 * |---|---|
 * | `{prefix}:label:<key>` | the label's bytes; expires after an hour |
 * | channel `{prefix}:label:<key>` | news of the label's job: `printed <key>`, `failed`, `unstored` or `dropped` |
 *
 * The key in the news differs from that of the channel when the worker has another template than the api asked for.
 */

/** In seconds. A label shows personal data, which stays in Redis only for so long (docs/security.md "Personal data"). */
const TTL_S = 3_600;

/** `unstored`: printed, but this Redis refuses to store it. `dropped`: not printed, because nobody waited any more. */
const WORDS = ['failed', 'unstored', 'dropped'] as const;
export type LabelNews = { printed: string } | (typeof WORDS)[number];

/**
 * Stores a label, then publishes its key, in one round trip: a SET that Redis refuses ends the script.
 * KEYS: the label. ARGV: its bytes, its life in seconds, the channel and the message.
 */
const STORE_LABEL = `
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
redis.call('PUBLISH', ARGV[3], ARGV[4])`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    storeLabel(
      key: string,
      bytes: Buffer,
      ttlS: number,
      channel: string,
      news: string,
    ): Result<null, Context>;
  }
}

export class LabelCache {
  readonly #redis: RedisClient;
  readonly #prefix: string;

  constructor(redis: RedisClient, prefix: string) {
    redis.defineCommand('storeLabel', { numberOfKeys: 1, lua: STORE_LABEL });
    this.#redis = redis;
    this.#prefix = prefix;
  }

  /** Returns null for a label that is not in the cache. */
  read(key: string): Promise<Buffer | null> {
    return this.#redis.getBuffer(this.channelOf(key));
  }

  async has(keys: readonly string[]): Promise<boolean[]> {
    return Promise.all(keys.map(async (key) => (await this.#redis.exists(this.channelOf(key))) === 1));
  }

  /** Stores a label under `key`, then tells the processes that wait for the label `asked`. */
  async store(asked: string, key: string, bytes: Uint8Array): Promise<void> {
    const value = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    await this.#redis.storeLabel(
      this.channelOf(key),
      value,
      TTL_S,
      this.channelOf(asked),
      messageOf({ printed: key }),
    );
  }

  /** Tells the processes that wait for a label how its job ended. */
  async publish(asked: string, news: LabelNews): Promise<void> {
    await this.#redis.publish(this.channelOf(asked), messageOf(news));
  }

  /** Returns for each label whether a client waits for it. */
  async awaited(keys: readonly string[]): Promise<boolean[]> {
    // Redis answers with channels and their numbers of subscribers in turn.
    const answer = await this.#redis.pubsub('NUMSUB', ...keys.map((key) => this.channelOf(key)));
    return keys.map((_, i) => Number(answer[2 * i + 1]) > 0);
  }

  /** The channel of a label is also its key in Redis. */
  channelOf(key: string): string {
    return `${this.#prefix}:label:${key}`;
  }
}

function messageOf(news: LabelNews): string {
  return typeof news === 'object' ? `printed ${news.printed}` : news;
}

export function parseNews(message: string): LabelNews {
  const [, printed] = /^printed (.+)$/.exec(message) ?? [];
  if (printed) return { printed };
  return WORDS.find((word) => word === message) ?? 'dropped';
}
