import { Queue } from 'bullmq';
import { describe, expect } from 'vitest';
import { LABEL_QUEUE } from '#shared/contracts/label-job.ts';
import { minimalGuide } from '#test/fixtures/client.ts';
import { printingTest as services } from '#test/fixtures/services.ts';
import { scrape } from '#test/fixtures/telemetry/metrics.ts';

const test = services.override('settings', { LABEL_TIMEOUT_MS: '5000' });

/** More labels at a time than can be printed within the deadline: some are refused, and the others are served. */

describe('three hundred labels at once, of which few can be printed in time', () => {
  test('are served, or refused with 503 and Retry-After and served on the next request', async ({
    api,
    demo,
    stores,
  }) => {
    const queue = new Queue(LABEL_QUEUE, { connection: stores.redis, prefix: stores.prefix });
    const label = (number: string) => demo.pdf(`/api/guias/etiqueta/${number}`);
    const guides = await demo.created(...Array.from({ length: 301 }, () => minimalGuide()));
    const [first, ...numbers] = guides.map(({ SEND_GUIA }) => SEND_GUIA);
    // One in two seconds, as far as is known: a hundred more would take longer than the deadline.
    expect((await label(first as string)).status).toBe(200);
    await queue.pause();
    const allRefused = Promise.withResolvers<void>();
    let refusals = 0;
    const asked = numbers.map(async (number) => {
      const answer = await label(number);
      if (answer.status === 503 && ++refusals === 200) allRefused.resolve();
      return { number, ...answer };
    });
    // At once: nobody has a label yet.
    await allRefused.promise;
    await queue.resume();
    const answers = await Promise.all(asked);
    const refused = answers.filter(({ status }) => status === 503);
    expect(refused).toHaveLength(200);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(100);
    for (const { headers, bytes } of refused) {
      expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect(JSON.parse(bytes.toString()).message).toBe('Servicio no disponible, intente de nuevo');
    }
    expect((await scrape(api.url)).get('label_failures_total{reason="overloaded"}')).toBe(refused.length);
    for (const { number } of refused.slice(0, 5)) expect((await label(number)).status).toBe(200);
    await queue.close();
  });
});
