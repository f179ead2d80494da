import { minimalGuide } from '#test/fixtures/client.ts';
import type { Stored } from '#test/fixtures/stored.ts';

export const stored: Stored = {
  async byClient(client) {
    await client.created(minimalGuide());
    await client.post('/api/manifiestos', {});
  },
};
