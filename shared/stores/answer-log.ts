import { Ajv } from 'ajv';
import type { Result } from 'ioredis';
import { type Static, Type } from 'typebox';
import { FailureLog } from '#shared/observability/failure-log.ts';
import type { Logger } from '#shared/observability/logger.ts';
import type { RedisClient } from './redis-client.ts';

/**
 * What the api answered to requests that print labels or create guides, for the page of the dashboard that supports
 * customers. The api writes it to the Redis of the labels, which evicts by itself. All of it can be lost.
 *
 * | key | value |
 * |---|---|
 * | `{prefix}:answers:guide:<number>` | list of the last answers about the labels of a guide, the newest first, as JSON |
 * | `{prefix}:answers:request:<id>` | list of the last answers under a request id, which a client may use twice |
 *
 * An answer names no person: it has no body, and no text of a client but the request id.
 */

/** How long an answer is kept, in days, if the Redis has room for so long. */
export const ANSWER_DAYS = 3;
const TTL_S = ANSWER_DAYS * 24 * 3_600;
/** Most answers under one key. */
export const MAX_ANSWERS = 20;
/** Most guides that an answer names. The others are counted. */
export const NAMED_GUIDES = 5;
/** Most lines that wait for the Redis, of some 300 bytes each. Beyond, the oldest are dropped, a block at a time. */
const MAX_WAITING = 20_000;
const DROPPED_AT_ONCE = 1_000;
/** Most lines of an account between two writes, so that a flood of one account displaces no other's. */
const MAX_OF_ACCOUNT = 600;
/** So answers cost the Redis some commands a second, however many they are. */
const WRITE_MS = 1_000;
/** Lines of one script. Redis does nothing else meanwhile. */
const LINES_AT_A_TIME = 200;

const Answer = Type.Object({
  /** In ms since 1970, by the clock of Redis. */
  at: Type.Integer(),
  /** Time until the answer, in ms. */
  ms: Type.Integer(),
  requestId: Type.String(),
  account: Type.String(),
  /** `label`: of one guide. `file`: of several guides. */
  asked: Type.Enum(['creation', 'label', 'file']),
  /** `Tipo` of the labels, and their format, as far as the request says them. */
  tipo: Type.Optional(Type.String()),
  format: Type.Optional(Type.String()),
  status: Type.Integer(),
  codigo: Type.Optional(Type.String()),
  /** The first fields at fault, each with its code. */
  problems: Type.Optional(
    Type.Array(Type.Object({ codigo: Type.String(), campo: Type.Optional(Type.String()) })),
  ),
  /** The first guides that the request named or made, and how many they are. */
  guides: Type.Array(Type.String()),
  count: Type.Integer(),
});
export type Answer = Static<typeof Answer>;

const isAnswer = new Ajv({ validateSchema: false }).compile<Answer>(Answer);

/** Adds lines to their lists. KEYS: a list for each line. ARGV: the index of a list's last line, its life in s, the lines. */
const KEEP_LINES = `
for i, key in ipairs(KEYS) do
  redis.call('LPUSH', key, ARGV[i + 2])
  redis.call('LTRIM', key, 0, ARGV[1])
  redis.call('EXPIRE', key, ARGV[2])
end`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    keepLines(lists: number, ...keysAndArguments: (string | number)[]): Result<null, Context>;
  }
}

/** Keeps answers without a wait: they are written once a second, together. */
export class AnswerLog {
  readonly #redis: RedisClient;
  readonly #prefix: string;
  readonly #failures: FailureLog;
  /** The oldest first. */
  #waiting: { key: string; line: string }[] = [];
  /** How many lines each account has added since the last write. */
  #counts = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  /** @param redis of the labels. */
  constructor(redis: RedisClient, prefix: string, log: Pick<Logger, 'info' | 'warn'>) {
    redis.defineCommand('keepLines', { lua: KEEP_LINES });
    this.#redis = redis;
    this.#prefix = prefix;
    this.#failures = new FailureLog(log, {
      failed: 'What the api answers to requests for labels and guides waits to be kept',
      recovered: 'What the api answers is kept again',
    });
  }

  /** @param numbers of the guides among whose answers it stands, beside its request id. */
  add(answer: Omit<Answer, 'guides' | 'count'>, named: readonly string[], numbers: readonly string[]): void {
    const whole: Answer = { ...answer, guides: named.slice(0, NAMED_GUIDES), count: named.length };
    const line = JSON.stringify(whole);
    const added = this.#counts.get(answer.account) ?? 0;
    const keys = [
      requestKey(this.#prefix, answer.requestId),
      ...numbers.map((number) => guideKey(this.#prefix, number)),
    ].slice(0, MAX_OF_ACCOUNT - added);
    this.#counts.set(answer.account, added + keys.length);
    for (const key of keys) this.#waiting.push({ key, line });
    if (this.#waiting.length > MAX_WAITING) {
      this.#waiting.splice(0, this.#waiting.length - MAX_WAITING + DROPPED_AT_ONCE);
    }
    this.#writeSoon();
  }

  /** Writes what waits. While the Redis is away, answers wait on. A killed process loses those of a second. */
  async write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#counts.clear();
    for (let from = 0; from < waiting.length; from += LINES_AT_A_TIME) {
      const lines = waiting.slice(from, from + LINES_AT_A_TIME);
      try {
        await this.#redis.keepLines(
          lines.length,
          ...lines.map(({ key }) => key),
          ...[MAX_ANSWERS - 1, TTL_S],
          ...lines.map(({ line }) => line),
        );
        this.#failures.succeeded();
      } catch (error) {
        this.#failures.failed(error);
        // What was lost with the answer of the Redis may be written twice. `readAnswers` shows it once.
        this.#waiting = [...waiting.slice(from), ...this.#waiting].slice(-MAX_WAITING);
        return this.#writeSoon();
      }
    }
  }

  #writeSoon(): void {
    this.#timer ??= setTimeout(() => void this.write(), WRITE_MS).unref();
  }
}

/** Returns the last answers about the labels of a guide, the newest first. */
export function answersOfGuide(redis: RedisClient, prefix: string, number: string): Promise<Answer[]> {
  return readAnswers(redis, guideKey(prefix, number));
}

/** Returns the last answers under a request id, the newest first. */
export function answersOfRequest(redis: RedisClient, prefix: string, requestId: string): Promise<Answer[]> {
  return readAnswers(redis, requestKey(prefix, requestId));
}

/** Skips what is not an answer, such as one of a later release. */
async function readAnswers(redis: RedisClient, key: string): Promise<Answer[]> {
  const lines = new Set(await redis.lrange(key, 0, MAX_ANSWERS - 1));
  return [...lines]
    .map((line): unknown => JSON.parse(line))
    .filter((value): value is Answer => isAnswer(value));
}

function guideKey(prefix: string, number: string): string {
  return `${prefix}:answers:guide:${number}`;
}

function requestKey(prefix: string, requestId: string): string {
  return `${prefix}:answers:request:${requestId}`;
}
