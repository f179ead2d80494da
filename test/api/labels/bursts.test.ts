import { expect } from 'vitest';
import { type Client, minimalGuide } from '#test/fixtures/client.ts';
import { printingTest } from '#test/fixtures/services.ts';

/** A burst of one account, up to its limit, with a real printer. */
const test = printingTest.override('settings', { LABEL_PAGES_PER_ACCOUNT: '300' });

/** Creates guides, and returns the paths of their letters. */
async function letters(client: Client, count: number): Promise<string[]> {
  const guides = await client.created(...Array.from({ length: count }, () => minimalGuide()));
  return guides.map(({ SEND_GUIA }) => `/api/guias/etiqueta/${SEND_GUIA}`);
}

test('one label alone, and then 300 at once, are all printed', async ({ demo }) => {
  const [alone = '', ...burst] = await letters(demo, 301);
  expect((await demo.pdf(alone)).status).toBe(200);
  const answers = await Promise.all(burst.map((path) => demo.pdf(path)));
  expect(answers.filter(({ status }) => status !== 200).map(({ bytes }) => bytes.toString())).toEqual([]);
});
