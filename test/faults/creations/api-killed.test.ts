import type { Part } from '../system/part.ts';
import { test } from '../system/system.ts';
import { killAtEachMoment } from './creations.ts';

test('while the api is killed, no creation has a guide before its commit, and each has all within a minute after it', async ({
  system,
}) => {
  await killAtEachMoment(system.apis[0] as Part, system);
});
