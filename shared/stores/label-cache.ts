import type { Result } from 'ioredis';
import type { RedisClient } from './redis-client.ts';

/**
 * Finished labels, in a Redis of their own that evicts by itself (`allkeys-lru`): the label worker stores a label and tells
 * who waits for it; the api reads it.
 *
 * | key or channel | what |
 * |---|---|
 * | `{prefix}:label:<key>` | the label's bytes; expires after an hour |
 * | channel `{prefix}:label:<key>` | news of the label's job: `printed <key>`, `failed`, `unstored` or `dropped` |
 *
 * The key in the news is another than the channel's where the worker has another template than the one asked for.
 */

/** What a label shows is personal data and stays no longer than this in Redis, in seconds (docs/security.md "Personal data"). */
const TTL_S = 3_600;

/**
 * How a label's job ended. `unstored`: printed, but this Redis refuses to store it. `dropped`: the worker did not print the
 * label, because nobody waited for it any more.
 */
const WORDS = ['failed', 'unstored', 'dropped'] as const;
export type LabelNews = { printed: string } | (typeof WORDS)[number];

/**
 * Stores a label, and only then publishes its key: a SET that Redis refuses ends the script. One script saves a round trip.
 *
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

  /** Returns a finished label, or null where it is not in the cache. */
  read(key: string): Promise<Buffer | null> {
    return this.#redis.getBuffer(this.channelOf(key));
  }

  /** Returns which of the labels are in the cache. */
  async has(keys: readonly string[]): Promise<boolean[]> {
    return Promise.all(keys.map(async (key) => (await this.#redis.exists(this.channelOf(key))) === 1));
  }

  /** Stores a label under `key`, and then tells those who wait for the label `asked`: what is told of is there. */
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

  /** Tells those who wait for a label how its job ended. */
  async tell(asked: string, news: LabelNews): Promise<void> {
    await this.#redis.publish(this.channelOf(asked), messageOf(news));
  }

  /** Returns for each label whether somebody waits for it. */
  async awaited(keys: readonly string[]): Promise<boolean[]> {
    // Redis answers with each channel and the number of its subscribers in turns.
    const answer = await this.#redis.pubsub('NUMSUB', ...keys.map((key) => this.channelOf(key)));
    return keys.map((_, i) => Number(answer[2 * i + 1]) > 0);
  }

  /** Returns the channel of a label, which is also its key in Redis. */
  channelOf(key: string): string {
    return `${this.#prefix}:label:${key}`;
  }
}

function messageOf(news: LabelNews): string {
  return typeof news === 'object' ? `printed ${news.printed}` : news;
}

/** Reads a message of a label's channel. */
export function parseNews(message: string): LabelNews {
  const [, printed] = /^printed (.+)$/.exec(message) ?? [];
  if (printed) return { printed };
  return WORDS.find((word) => word === message) ?? 'dropped';
}
