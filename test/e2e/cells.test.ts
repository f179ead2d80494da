import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startRedis } from '#local/programs/redis.ts';
import { Client, type CreatedGuide, call, minimalGuide } from '#test/fixtures/client.ts';
import { printingTest } from '#test/fixtures/services.ts';

/** Two cells: whole installations, each with a Redis of its own, over one MongoDB (k8s/operations.md "Cells"). */
const test = printingTest
  .extend('otherRedis', { scope: 'file' }, async ({ folder }, { onCleanup }) => {
    const redis = await startRedis({ folder: join(folder, 'other'), durable: false, log: () => {} });
    onCleanup(redis.close);
    return redis;
  })
  /** It has the same JWT_SECRET and public address, and an INTERNAL_TOKEN of its own. */
  .extend(
    'otherCell',
    { scope: 'file' },
    async ({ otherRedis: { url }, startApi, startBranches, startLabelWorker, startWebhooks }) => {
      const own = { REDIS_URL: url, LABEL_CACHE_URL: url, INTERNAL_TOKEN: randomBytes(32).toString('hex') };
      const branches = await startBranches(own);
      const { server: worker } = await startLabelWorker(own);
      const webhooks = await startWebhooks(own);
      const urls = { BRANCHES_URL: branches.url, WEBHOOKS_URL: webhooks.url };
      const { url: api } = await startApi({ ...own, ...urls });
      return { api, worker };
    },
  )
  /** The same user, with the same token, at the other cell. */
  .extend('there', { scope: 'file' }, ({ demo, otherCell }) => new Client(otherCell.api, demo.token));

const numbersOf = (data: unknown) => (data as CreatedGuide[]).map(({ SEND_GUIA }) => SEND_GUIA);

test('a key that is repeated at the other cell creates nothing', async ({ demo, there, stores }) => {
  const body = { TipoServicio: 'Domicilio', Guia: [minimalGuide(), minimalGuide()] };
  const before = await stores.mongo.collection('guides').countDocuments();
  const key = { 'idempotency-key': 'dos-celdas' };
  const post = (client: Client) => client.post('/api/guias/crear', body, key);
  const answers = [...(await Promise.all([demo, there, demo, there].map(post))), await post(there)];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(new Set(answers.map(({ body: { data } }) => numbersOf(data).join())).size).toBe(1);
  expect(await stores.mongo.collection('guides').countDocuments()).toBe(before + 2);
});

test('a cell without its Redis refuses, the other serves', async ({ demo, there, otherCell, otherRedis }) => {
  const [guide] = await demo.created(minimalGuide());
  const path = `/api/guias/etiqueta/${guide?.SEND_GUIA}`;
  const ready = async () => (await call(`${otherCell.api}/health/ready`)).body;
  expect(await ready()).toMatchObject({ status: 'ok' });
  await otherCell.worker.close(); // which takes long once Redis is gone
  await otherRedis.close();
  const refused = await there.pdf(path);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
  await expect.poll(ready).toMatchObject({ status: 'degraded' });
  expect((await demo.pdf(path)).status).toBe(200);
});
