import { expect } from 'vitest';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { pretendPrinter } from '#test/fixtures/labels/pretended-worker.ts';
import { test as services } from '#test/fixtures/services.ts';
import { scrape } from '#test/fixtures/telemetry/metrics.ts';

/**
 * More labels at once than can be printed in time: some are refused, and the others are served.
 *
 * The printer is one that prints when the test says so: the api judges by the labels that were finished within the last
 * two seconds, and a real one is too quick on one machine and too slow on another.
 */
const test = services
  .override('settings', { LABEL_TIMEOUT_MS: '60000' })
  .extend('printer', { scope: 'file' }, async ({ stores }, { onCleanup }) => {
    const [first, others] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const allTaken = Promise.withResolvers<void>();
    let taken = 0;
    onCleanup(
      await pretendPrinter(stores, async () => {
        taken++;
        if (taken === 101) allTaken.resolve();
        await (taken === 1 ? first.promise : others.promise);
        return Buffer.from('%PDF-1.4');
      }),
    );
    return { allTaken: allTaken.promise, printFirst: first.resolve, printOthers: others.resolve };
  });

test('a label that cannot be printed in time is a 503 with Retry-After, and no other label is', async ({
  api,
  demo,
  printer,
}) => {
  const label = (number: string) => demo.pdf(`/api/guias/etiqueta/${number}`);
  const guides = await demo.created(...Array.from({ length: 106 }, () => minimalGuide()));
  const numbers = guides.map(({ SEND_GUIA }) => SEND_GUIA);
  const late = numbers.splice(101);
  const waiting = numbers.map(label);
  await printer.allTaken;
  printer.printFirst();
  const printed = await Promise.any(waiting.map(async (answer, i) => (await answer) && numbers[i]));

  // A hundred wait, and one was printed in two seconds: one more would take longer than the timeout.
  for (const { status, headers, bytes } of await Promise.all(late.map(label))) {
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(JSON.parse(bytes.toString()).message).toBe('Servicio no disponible, intente de nuevo');
  }
  expect((await scrape(api.url)).get('label_failures_total{reason="overloaded"}')).toBe(late.length);

  // What is printed already needs no printer, and another account has its turn whatever this one asks for.
  expect((await label(printed ?? '')).status).toBe(200);
  const other = await Client.login(api.url, 'otro');
  const [guide] = await other.created(minimalGuide());
  const ofOther = other.pdf(`/api/guias/etiqueta/${guide?.SEND_GUIA}`);

  printer.printOthers();
  expect((await ofOther).status).toBe(200);
  for (const { status } of await Promise.all(waiting)) expect(status).toBe(200);
  for (const number of late) expect((await label(number)).status).toBe(200);
});
