import { expect } from 'vitest';
import { INTERNAL_TOKEN_HEADER } from '#shared/http/internal-calls.ts';
import { taking } from '#test/fixtures/receiver.ts';
import { INTERNAL_TOKEN } from '#test/fixtures/services.ts';
import { test } from '#test/fixtures/webhooks.ts';

test('two trials of an account are under way at most', async ({ webhooks, newCustomer }) => {
  const [greedy, other] = [await newCustomer(), await newCustomer()];
  const probe = async ({ account, id: webhook }: { account: string; id: string }) => {
    const headers = { [INTERNAL_TOKEN_HEADER]: INTERNAL_TOKEN, 'content-type': 'application/json' };
    const body = JSON.stringify({ account, webhook });
    return (await fetch(`${webhooks.url}/internal/probe`, { method: 'POST', headers, body })).status;
  };
  const answers: (() => void)[] = [];
  greedy.receiver.answer = (response) => void answers.push(() => response.writeHead(204).end());
  const hanging = [probe(greedy), probe(greedy)];
  await expect.poll(() => answers.length).toBe(2);
  expect(await probe(greedy)).toBe(503);
  expect(await probe(other)).toBe(200);
  for (const answer of answers) answer();
  expect(await Promise.all(hanging)).toEqual([200, 200]);
  greedy.receiver.answer = taking;
  expect(await probe(greedy)).toBe(200);
});
