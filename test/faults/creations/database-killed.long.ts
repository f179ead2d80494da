import type { Part } from '../system/part.ts';
import { test as faultTest } from '../system/system.ts';
import { killAtEachMoment } from './creations.ts';

const test = faultTest.extend('wanted', { own: ['mongo'] });

test('while the database is killed, answers hold, and creations are whole', async ({ system }) => {
  await killAtEachMoment(system.mongo.part as Part, system);
});
