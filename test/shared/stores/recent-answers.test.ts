import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { RecentAnswers } from '#shared/stores/recent-answers.ts';

test('after a miss the kept answer is given at once, until the pause is over', async () => {
  const answers: PromiseWithResolvers<string>[] = [];
  const recent = new RecentAnswers<string>({
    ...{ what: 'Asking', max: 10, freshMs: 0, keptMs: 60_000, waitMs: 300 },
    ask: () => {
      const answer = Promise.withResolvers<string>();
      answers.push(answer);
      return answer.promise;
    },
  });
  const first = recent.get('a');
  answers[0]?.resolve('one');
  expect(await first).toBe('one');
  expect(await recent.get('a')).toBe('one'); // after the wait for a store that is silent
  const atOnce = () => Promise.race([recent.get('a'), setImmediate('it waits')]);
  expect(await atOnce()).toBe('one');
  expect(answers).toHaveLength(2);

  answers[1]?.resolve('two');
  await expect.poll(atOnce).toBe('two');
});
