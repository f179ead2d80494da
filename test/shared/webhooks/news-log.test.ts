import { expect } from 'vitest';
import { NewsLog } from '#shared/webhooks/news-log.ts';
import { test as storesTest } from '#test/fixtures/stores.ts';

/** The log of what webhooks are told beside events. */

const test = storesTest.extend('log', ({ stores }) => new NewsLog(stores.mongo));

test('appends at once leave no gap, and each keeps its order', async ({ log }) => {
  const appends = Array.from({ length: 8 }, (_, append) =>
    log.append(
      'recolecciones',
      'tienda',
      'Recolecciones',
      [0, 1, 2].map((i) => ({ append, i })),
      AbortSignal.timeout(60_000),
    ),
  );
  await Promise.all(appends);
  const found: { append: number; i: number }[] = [];
  for (let number = 1; number <= 24; number++) {
    const news = await log.next('recolecciones', 'tienda', number - 1);
    expect(news?.number).toBe(number);
    found.push(news?.entry as (typeof found)[number]);
  }
  expect(await log.last('recolecciones', 'tienda')).toBe(24);
  for (let append = 0; append < 8; append++)
    expect(found.filter((each) => each.append === append).map(({ i }) => i)).toEqual([0, 1, 2]);
});

test('an append whose time is over stores nothing more', async ({ log }) => {
  const appended = log.append('liquidaciones', 'tienda', 'Liquidaciones', [{}], AbortSignal.abort());
  await expect(appended).rejects.toThrow();
  expect(await log.last('liquidaciones', 'tienda')).toBe(0);
});
