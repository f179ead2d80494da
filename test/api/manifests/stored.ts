import { minimalGuide } from '#test/fixtures/client.ts';
import type { Stored } from '#test/fixtures/stored.ts';

export const stored: Stored = {
  async ofTestAccount(tester) {
    await tester.created(minimalGuide());
    await tester.post('/api/manifiestos', {});
  },
};
