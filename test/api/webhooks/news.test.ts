import { expect, test } from 'vitest';
import { NewsSweep } from '#services/api/webhooks/news.ts';
import { passTime } from '#test/fixtures/pass-time.ts';

test('a sweep tells what follows after something that cannot be told, and says so', async () => {
  const told: string[] = [];
  const warnings: object[] = [];
  const topic = {
    name: 'recolecciones',
    unpublished: async () => ['R1', 'R2', 'R3'],
    async publish(id: string) {
      if (id === 'R1') throw new Error('it has no history');
      told.push(id);
    },
  };
  const sweep = new NewsSweep([topic]);
  const log = { warn: (fields: object) => void warnings.push(fields) };
  await sweep.sweep(log);
  passTime(10_000);
  await sweep.sweep(log);
  expect(told).toEqual(['R2', 'R3']);
  expect(warnings).toMatchObject([{ topic: 'recolecciones', id: 'R1' }]);
});
