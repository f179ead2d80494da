import type { Queue } from 'bullmq';
import type { LabelJob } from '#shared/contracts/label-job.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import { type Diagnosis, diagnose } from './diagnostics.ts';
import { type QueueState, readQueueState } from './queue-state.ts';

/** One shard of the labels, as the dashboard reads it. */
export type Shard = { name: string; redis: RedisClient; prefix: string; queue: Queue<LabelJob> };

/** `state` is undefined where the shard's Redis does not answer. */
export type ShardState = { name: string; state: QueueState | undefined };

/** Reads what the status page shows of each shard. Fails where there is one alone, and it does not answer. */
export function readShards(shards: readonly Shard[]): Promise<ShardState[]> {
  return Promise.all(
    shards.map(async (shard) => {
      const state = read(shard);
      return { name: shard.name, state: await (shards.length > 1 ? state.catch(() => undefined) : state) };
    }),
  );
}

/** BullMQ would wait without a time limit for a Redis that was never there. */
async function read(shard: Shard): Promise<QueueState> {
  if (shard.redis.status !== 'ready') throw new Error('Connection is closed.');
  return readQueueState(shard);
}

/** Finds what is wrong in a shard, the grave first. */
export function diagnoseShard({ state }: ShardState): Diagnosis[] {
  return state ? diagnose(state) : [AWAY];
}

/** Finds what is wrong in all shards, the grave first; where there are several, each problem names its shard. */
export function diagnoseShards(shards: readonly ShardState[]): Diagnosis[] {
  const found = shards.flatMap((shard) => {
    const which = shards.length > 1 ? `Fragmento ${shard.name}: ` : '';
    return diagnoseShard(shard).map((problem) => ({ ...problem, text: which + problem.text }));
  });
  return found.sort((one, other) => Number(other.grave) - Number(one.grave));
}

const AWAY = {
  grave: true,
  text: 'su Redis no responde, y sus etiquetas no se imprimen',
  section: 'labelredisdown',
} as const;

/** Returns what goes before the name of a shard's queue in Bull Board, which knows queues by their names. */
export function boardPrefix(shard: string): string {
  return shard === '0' ? '' : `${shard}-`;
}
