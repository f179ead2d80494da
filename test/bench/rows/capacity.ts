import { Redis } from 'ioredis';
import { aliveWorkers } from '#shared/stores/heartbeat.ts';
import { atRandom, inParallel } from '../load/load.ts';
import type { Result, Run } from '../run.ts';
import { canCapCores } from '../system/core-cap.ts';
import { forgetLabels } from '../system/system.ts';
import { CONCURRENCY_EACH, type Fleet, warmUp, withFleets } from './workers.ts';

const SIZES = [1, 3] as const;
/** Labels of a round for each worker with all that it can do. */
const LABELS_EACH = 400;
/** What the workers are given of what they print, while they measure what they could print. */
const GIVEN_SHARE = 0.4;
/** Longer than workers remember prints, so that they have forgotten the warm-up and the full load. */
const SECONDS = 135;

/**
 * How far off "Estado" is about what workers could print. The workers get two fifths of that for two minutes, tell what they could
 * print, and then get all that they can take.
 */
export async function capacity(run: Run): Promise<Result[]> {
  if (!canCapCores()) {
    run.say('capacity: left out. A share of a core takes Linux with cgroup v1, and root.');
    return [];
  }
  return withFleets(run, SIZES, [], async (fleets) => {
    const results: Result[] = [];
    for (const fleet of fleets) {
      await warmUp(run, fleet);
      results.push(await compare(run, fleet));
    }
    return results;
  });
}

async function compare(run: Run, fleet: Fleet): Promise<Result> {
  const { size, system } = fleet;
  const usual = GIVEN_SHARE * (await printAll(run, fleet));
  run.say(`capacity: ${size} get ${usual.toFixed(0)} labels/s for ${SECONDS} s…`);
  const guides = await system.api.newGuides(Math.ceil(usual * SECONDS));
  await atRandom(guides, usual, (guide) => system.api.label(guide));
  const told = await toldPerSecond(run, fleet);
  const printed = await printAll(run, fleet);
  const off = Math.max(told / printed, printed / told);
  const note = `told ${told.toFixed(1)} labels/s at ${usual.toFixed(1)}, then printed ${printed.toFixed(1)}`;
  return { id: `capacity-${size}`, rounds: [off], note };
}

/** @returns labels a second with as many in flight as the workers can take. */
async function printAll(run: Run, { size, system }: Fleet): Promise<number> {
  await forgetLabels(run, system);
  const guides = await system.api.newGuides(size * run.count(LABELS_EACH));
  return (await inParallel(guides, size * CONCURRENCY_EACH, (guide) => system.api.label(guide))).perSecond;
}

/** @throws Error if a worker does not tell what it could print. */
async function toldPerSecond({ servers }: Run, { system, size }: Fleet): Promise<number> {
  const redis = new Redis(servers.redisUrl);
  try {
    const told = (await aliveWorkers(redis, system.redisPrefix)).flatMap(({ capacity }) => capacity ?? []);
    if (told.length < size) throw new Error(`${told.length} of ${size} workers tell what they could print`);
    return told.reduce((sum, { mostPerMinute }) => sum + mostPerMinute, 0) / 60;
  } finally {
    redis.disconnect();
  }
}
