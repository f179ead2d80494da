import type { RedisClient } from '#shared/stores/redis-client.ts';

/**
 * How an api process learns of the labels that it waits for, and of no others, in Redis: label workers write to a stream
 * of the process, which it alone reads. A stream, and no publication, so that a broken connection loses nothing.
 *
 * | key | value |
 * |---|---|
 * | `{prefix}:label-answers:<process>` | stream of `job`, the job's id, and `end`; 1 000 at most; expires 10 min after the last |
 * | `{prefix}:label-joined:<job>` | set of the processes that wait for another one's job; expires after 10 min |
 */

/** How a label's job ended: under which key the label is, or why there is none. `dropped`: nobody waited for it any more. */
export type LabelEnd = { printed: string } | 'failed' | 'dropped';
export type LabelAnswer = { jobId: string; end: LabelEnd };

/** Answers that are kept for a process that does not read: it then looks for the labels themselves. */
const MAX_ANSWERS = 1_000;
/** Longer than a label is waited for (`LABEL_TIMEOUT_MS`), in seconds: what a process that died leaves goes by itself. */
const KEPT_S = 600;
/** Most processes that are told at a time. */
const MAX_PROCESSES = 1_000;
/** Answers that are read at a time. */
const READ_AT_A_TIME = 200;
/** Longest wait of one reading, in ms. */
const WAIT_MS = 2_000;

/** Tells each of these api processes how a job ended. */
export async function tellAnswer(
  redis: RedisClient,
  prefix: string,
  processes: Iterable<string>,
  { jobId, end }: LabelAnswer,
): Promise<void> {
  const fields = ['job', jobId, 'end', typeof end === 'object' ? end.printed : end];
  // No transaction, which would not go out together with the commands of the turn's other labels.
  const told = [...processes].map((process) => {
    const stream = answersKey(prefix, process);
    return [
      redis.xadd(stream, 'MAXLEN', '~', MAX_ANSWERS, '*', ...fields),
      redis.expire(stream, KEPT_S),
    ] as Promise<unknown>[];
  });
  await Promise.all(told.flat());
}

/** Notes a process as one that waits for another one's job. The job may have ended: that is to be looked at afterwards. */
export async function joinJob(
  redis: RedisClient,
  prefix: string,
  jobId: string,
  process: string,
): Promise<void> {
  const joined = joinedKey(prefix, jobId);
  await redis.multi().sadd(joined, process).expire(joined, KEPT_S).exec();
}

/** Returns the processes that wait for another one's job, and forgets them. To be called when the job has ended. */
export function takeJoined(redis: RedisClient, prefix: string, jobId: string): Promise<string[]> {
  return redis.spop(joinedKey(prefix, jobId), MAX_PROCESSES);
}

/**
 * Reads the answers for a process, and waits some time for the first one.
 *
 * @param listening a connection for this alone.
 * @param after where the last reading ended; `0` at first.
 * @throws READONLY, as a reply of Redis, where the connection leads to a replica, which gets no answers.
 */
export async function readAnswers(
  listening: RedisClient,
  prefix: string,
  process: string,
  after: string,
): Promise<{ answers: LabelAnswer[]; last: string }> {
  const stream = answersKey(prefix, process);
  const found = await listening.xread('COUNT', READ_AT_A_TIME, 'BLOCK', WAIT_MS, 'STREAMS', stream, after);
  if (!found) await listening.expire(stream, KEPT_S); // a write, which a replica refuses
  const entries = found?.[0]?.[1] ?? [];
  return { answers: entries.map(([, fields]) => answerOf(fields)), last: entries.at(-1)?.[0] ?? after };
}

function answerOf(fields: string[]): LabelAnswer {
  const [, jobId = '', , end = ''] = fields;
  return { jobId, end: end === 'failed' || end === 'dropped' ? end : { printed: end } };
}

function answersKey(prefix: string, process: string): string {
  return `${prefix}:label-answers:${process}`;
}

function joinedKey(prefix: string, jobId: string): string {
  return `${prefix}:label-joined:${jobId}`;
}
