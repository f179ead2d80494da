import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import { CREATIONS } from '#shared/guides/creation-model.ts';
import { modelOf, unfinishedIds } from '#shared/stores/collection.ts';

/** In ms: a running api stores committed guides within a minute. */
const STORED_MS = 90_000;
const PAUSE_MS = 250;

/**
 * Waits until every committed guide is stored. Until then only the journal has it, and a walk over guides would miss it.
 *
 * @throws Error after 90 s, because then no api runs.
 */
export async function untilStored(mongo: Connection): Promise<void> {
  const creations = modelOf(mongo, CREATIONS);
  const end = performance.now() + STORED_MS;
  let left = await unfinishedIds(creations);
  for (; left.length > 0; left = await unfinishedIds(creations, { _id: { $in: left } })) {
    if (performance.now() > end)
      throw new Error('Hay guias que la API aun no termina de guardar: repita con la API en marcha');
    await delay(PAUSE_MS);
  }
}
