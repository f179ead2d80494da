import type { Part } from '../system/part.ts';
import { killAtEachMoment, test } from './creations.ts';

test('of a batch whose api is killed all guides can be read, or none, and a minute later none is left over', async ({
  guides,
  stored,
  system,
}) => {
  await killAtEachMoment(system.apis[0] as Part, system, { guides, stored });
});
