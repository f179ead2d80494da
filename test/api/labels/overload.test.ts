import { expect, onTestFinished, vi } from 'vitest';
import { guides as guidesRoom } from '#services/api/guides/room.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { pretendPrinter } from '#test/fixtures/labels/pretended-worker.ts';
import { test as services } from '#test/fixtures/services.ts';
import { scrape } from '#test/fixtures/telemetry/metrics.ts';

type Step = PromiseWithResolvers<void>;

/**
 * More labels at once than can be printed in time: some are refused, and the others are served.
 *
 * The printer is one that prints when the test says so, and time passes when the test says so: a real one is too quick on one
 * machine and too slow on another.
 */
const test = services
  .extend('labelTimeouts', { label: 60_000 })
  .extend('printer', { scope: 'file' }, async ({ stores }, { onCleanup }) => {
    const [first, second, others] = [1, 2, 3].map(() => Promise.withResolvers<void>()) as [Step, Step, Step];
    const allTaken = Promise.withResolvers<void>();
    let taken = 0;
    onCleanup(
      await pretendPrinter(stores, async () => {
        taken++;
        if (taken === 101) allTaken.resolve();
        await (taken === 1 ? first : taken === 2 ? second : others).promise;
        return Buffer.from('%PDF-1.4');
      }),
    );
    return {
      allTaken: allTaken.promise,
      printFirst: first.resolve,
      printSecond: second.resolve,
      printOthers: others.resolve,
    };
  });

test('a label whose turn is six seconds away is 503 before its guide is read, no other account is refused', async ({
  api,
  demo,
  printer,
}) => {
  onTestFinished(() => {
    for (const print of [printer.printFirst, printer.printSecond, printer.printOthers]) print();
  });
  const label = (number: string) => demo.pdf(`/api/guias/etiqueta/${number}`);
  const guides = await demo.created(...Array.from({ length: 106 }, () => minimalGuide()));
  const numbers = guides.map(({ SEND_GUIA }) => SEND_GUIA);
  const late = numbers.splice(101);
  const waiting = numbers.map(label);
  await printer.allTaken;

  // One was printed, and one more after 1.9 s: at this pace, the turn of another is three minutes away.
  const from = performance.now();
  const clock = vi.spyOn(performance, 'now').mockReturnValue(from + 1_000);
  onTestFinished(() => clock.mockRestore());
  const inTurn = waiting.map(async (answer, i) => (await answer) && numbers[i]);
  printer.printFirst();
  const printed = await Promise.any(inTurn);
  clock.mockReturnValue(from + 2_900);
  printer.printSecond();
  await Promise.any(inTurn.map(async (answer) => ((await answer) === printed ? Promise.reject() : answer)));
  const reads = vi.spyOn(api.contextOf(guidesRoom).guides, 'find');
  for (const { status, headers, bytes } of await Promise.all([...late, printed ?? ''].map(label))) {
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBe('5');
    expect(JSON.parse(bytes.toString())).toMatchObject({
      message: 'Servicio no disponible, intente de nuevo',
      codigo: 'saturado',
    });
  }
  const metrics = await scrape(api.url);
  expect(metrics.get('label_failures_total{reason="overloaded"}')).toBe(late.length + 1);
  expect(metrics.get('labels_wanted_total')).toBe(numbers.length + late.length + 1); // for more label workers
  expect(reads).not.toHaveBeenCalled();

  // A wrong token learns nothing of the load.
  const stranger = new Client(api.url, 'wrong');
  expect((await stranger.get(`/api/guias/etiqueta/${late[0]}`)).status).toBe(401);
  // Another account has its turn whatever this one asks for.
  const other = await Client.login(api.url, 'otro');
  const [guide] = await other.created(minimalGuide());
  const ofOther = other.pdf(`/api/guias/etiqueta/${guide?.SEND_GUIA}`);
  clock.mockRestore();

  printer.printOthers();
  expect((await ofOther).status).toBe(200);
  for (const { status } of await Promise.all(waiting)) expect(status).toBe(200);
  for (const number of [...late, printed ?? '']) expect((await label(number)).status).toBe(200);
});
