import { expect } from 'vitest';
import { labels as room } from '#services/api/labels/room.ts';
import type { QueuedJob } from '#shared/printing/label-job.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { pretendPrinter, pretendWorker } from '#test/fixtures/labels/pretended-worker.ts';
import { test as services } from '#test/fixtures/services.ts';

/** A label is never printed without its marks (docs/labels.md "Marks"). */

const KNOWS = { id: 'knows', marks: true } as const;
const test = services
  .extend('cell', ({ stores }) => ({
    ...stores,
    prefix: stores.prefix.replace('}', `-${Math.random().toString(36).slice(2)}}`),
  }))
  /** Asks an api for a label with marks, or one without. */
  .extend('askIn', ({ cell, startApi }) => async () => {
    const api = await startApi({ REDIS_PREFIX: cell.prefix }, { label: 5_000 });
    const client = await Client.login(api.url);
    const [marked, plain] = await client.created(minimalGuide(), minimalGuide());
    api
      .contextOf(room)
      .labelAdditions.push(({ _id }) =>
        _id === marked?.SEND_GUIA ? { marks: [{ text: 'COBRAR $450.50' }] } : {},
      );
    return (which: 'marked' | 'plain') =>
      client.get(`/api/guias/etiqueta/${{ marked, plain }[which]?.SEND_GUIA}`);
  });

/** Prints what a worker of 1.9.2 finds in a job, which is nothing of a label with marks. */
async function printFormer({ data }: { data: QueuedJob }): Promise<Buffer> {
  if (!data.label) throw new Error('payload-invalid');
  return Buffer.from('%PDF');
}

test('beside a worker that knows no marks, a label with marks is 503, and others print', async ({
  cell,
  askIn,
  onTestFinished,
}) => {
  onTestFinished(await pretendWorker(cell, KNOWS));
  onTestFinished(await pretendPrinter(cell, printFormer));
  const ask = await askIn();
  const { status, headers, body } = await ask('marked');
  expect([status, body.codigo, headers.get('retry-after')]).toEqual([503, 'servicio_no_disponible', '2']);
  expect((await ask('plain')).status).toBe(200);
});

test('once all workers know marks, a label with marks prints', async ({ cell, askIn, onTestFinished }) => {
  const leave = await pretendWorker(cell, { id: 'former' });
  const seen: QueuedJob[] = [];
  onTestFinished(
    await pretendPrinter(
      cell,
      async ({ data }) => {
        seen.push(data);
        return Buffer.from('%PDF');
      },
      { marks: true },
    ),
  );
  const ask = await askIn();
  expect((await ask('marked')).status).toBe(503);
  await leave();
  await expect.poll(async () => (await ask('marked')).status).toBe(200);
  expect(seen).toHaveLength(1);
  expect(seen[0]).not.toHaveProperty('label');
  expect(seen[0]?.marked).toHaveProperty('marks', [{ text: 'COBRAR $450.50' }]);
});

test('a label that a worker refuses before its first heartbeat is 503', async ({
  cell,
  askIn,
  onTestFinished,
}) => {
  const leave = await pretendWorker(cell, KNOWS);
  onTestFinished(leave);
  const ask = await askIn();
  onTestFinished(
    await pretendPrinter(
      cell,
      async (job) => {
        onTestFinished(await pretendWorker(cell, { id: 'former' }));
        return printFormer(job);
      },
      { marks: true },
    ),
  );
  const { status, body } = await ask('marked');
  expect([status, body.codigo]).toEqual([503, 'servicio_no_disponible']);
});
