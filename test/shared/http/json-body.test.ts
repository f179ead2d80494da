import { expect, test } from 'vitest';
import { buildHttpServer } from '#shared/http/build-http-server.ts';
import { createLogger } from '#shared/observability/logger.ts';

/** Turns of the event loop from the request to its handler, for a body with a text of so many characters. */
async function turnsFor(length: number): Promise<number> {
  let turns = 0;
  let atHandler = -1;
  const server = await buildHttpServer({ log: createLogger('test', 'silent') }, async (server) => {
    server.post('/echo', async () => {
      atHandler = turns;
      return {};
    });
  });
  const answer = server.inject({ method: 'POST', url: '/echo', body: { text: 'x'.repeat(length) } });
  let counting = true;
  const count = () => {
    turns++;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  await answer;
  counting = false;
  await server.close();
  return atHandler;
}

test('others have two turns while a large body is counted, parsed and checked', async () => {
  await turnsFor(1);
  const small = await turnsFor(30_000);
  expect(await turnsFor(50_000)).toBe(small + 2);
});
