import type { Part } from '../system/part.ts';
import { test as creationsTest, killAtEachMoment } from './creations.ts';

const test = creationsTest.override('wanted', { own: ['mongo'] });

test('while the database is killed, each answer says what is stored, and no half of a batch is left', async ({
  guides,
  stored,
  system,
}) => {
  await killAtEachMoment(system.mongo.part as Part, system, { guides, stored });
});
