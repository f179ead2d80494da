import { setTimeout as delay } from 'node:timers/promises';
import { type LabelAnswer, readAnswers } from '#shared/contracts/label-answers.ts';
import type { Logger } from '#shared/observability/logger.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import { explainOutage } from '#shared/stores/transient-errors.ts';

/** Pause after a reading that failed, in ms. */
const PAUSE_MS = 200;
/** ioredis says so of a Redis that does not answer at all. */
const SILENT = /^Command timed out/;

type Options = {
  /** A connection for this alone (`openListeningRedis`). */
  listening: RedisClient;
  prefix: string;
  /** The id of this process. */
  process: string;
  log: Pick<Logger, 'warn'>;
};

/** Reads the answers for this process as they come, until the function that it returns is called. */
export function listenForAnswers(
  { listening, prefix, process, log }: Options,
  onAnswer: (answer: LabelAnswer) => void,
): () => void {
  const end = new AbortController();
  const { signal } = end;
  let after = '0';
  let reason: string | undefined;
  async function read(): Promise<void> {
    const { answers, last } = await readAnswers(listening, prefix, process, after);
    after = last;
    reason = undefined;
    for (const answer of answers) onAnswer(answer);
  }
  async function recover(err: Error): Promise<void> {
    // Why there is no connection is in the log already.
    if (listening.status === 'ready' && !signal.aborted && err.message !== reason) {
      log.warn({ err }, `The answers of the label workers cannot be read: ${explainOutage(err)}`);
      reason = err.message;
    }
    // It may be dead, which TCP alone would not notice for hours.
    if (SILENT.test(err.message) && !signal.aborted) listening.disconnect(true);
    await delay(PAUSE_MS, undefined, { signal }).catch(() => {});
  }
  async function readUntilEnd(): Promise<void> {
    while (!signal.aborted) await read().catch(recover);
  }
  void readUntilEnd();
  return () => end.abort();
}
