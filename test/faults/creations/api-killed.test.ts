import type { Part } from '../system/part.ts';
import { test } from '../system/system.ts';
import { killAtEachMoment } from './creations.ts';

test('while the api is killed, each creation is whole or none within a minute', async ({ system }) => {
  await killAtEachMoment(system.apis[0] as Part, system);
});
