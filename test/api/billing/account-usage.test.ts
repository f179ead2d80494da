import { expect, onTestFinished, vi } from 'vitest';
import { DEMO_PASSWORD } from '#local/demo-data.ts';
import { UserStore } from '#shared/accounts/user-store.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { DEADLINE_MS } from '#test/fixtures/deadline.ts';
import { type Fate, startMongoProxy } from '#test/fixtures/mongo-proxy.ts';
import { userMaker } from '#test/fixtures/new-user.ts';
import { printingTest } from '#test/fixtures/services.ts';

/** `GET /api/uso` (docs/contract.md "Usage"). `month-audit.test.ts` compares its figures with a calculation by hand. */

type Figures = { Guias: number; Etiquetas: number; Canceladas: number };
type Month = Figures & { Mes: string; Dias: (Figures & { Fecha: string })[] };

printingTest('the month of an account, with the labels of today', async ({ api, stores }) => {
  const make = await userMaker(new UserStore(stores.mongo), DEMO_PASSWORD);
  await make('papeleria', {
    permissions: ['guias.create', 'guias.read', 'guias.cancel'],
    originBranch: 'MEX01',
  });
  const customer = await Client.login(api.url, 'papeleria');
  const [guide, cancelled] = await customer.created(minimalGuide(), minimalGuide());
  await customer.post(`/api/guias/${cancelled?.SEND_GUIA}/cancelar`, '');
  await customer.get(`/api/guias/etiqueta-pequena/${guide?.SEND_GUIA}`);

  const today = await vi.waitFor(async () => {
    const month = (await customer.get('/api/uso')).body.data as Month;
    expect(month).toMatchObject({ Guias: 2, Canceladas: 1, Etiquetas: 1 });
    return month.Dias.at(-1);
  }, DEADLINE_MS);
  expect(today).toMatchObject({ Guias: 2, Canceladas: 1, Etiquetas: 1 });

  const headers = { authorization: `Bearer ${customer.token}` };
  const csv = await (await fetch(`${api.url}/api/uso/csv`, { headers })).text();
  const [head, ...days] = csv.replace('\ufeff', '').trimEnd().split('\n');
  expect(head).toMatch(/^Fecha,Cuenta,Guias,Canceladas,Entregadas,Etiquetas,Total,/);
  expect(days.at(-1)).toBe(`${today?.Fecha},papeleria,2,1,0,1,0,0,0,0,2,0,1`);
});

printingTest(
  'a guide that the journal alone has belongs to its day once it is stored',
  async ({ api, stores }) => {
    const customer = await Client.login(api.url, 'otro');
    const [guide] = await customer.created(minimalGuide());
    const before = new Date();
    before.setDate(0);
    const month = before.toISOString().slice(0, 7);
    const guidesOf = async () => ((await customer.get(`/api/uso?mes=${month}`)).body.data as Month).Guias;

    const journal = stores.mongo.collection<{ _id: string; creation: string; openSince: Date }>('creations');
    await journal.insertOne({ _id: 'cut', creation: 'cut', openSince: new Date(`${month}-15T18:00:00Z`) });
    expect(await guidesOf()).toBe(0);
    await stores.mongo
      .collection<{ _id: string }>('guides')
      .updateOne({ _id: guide?.SEND_GUIA ?? '' }, { $set: { createdAt: `${month}-15T12:00:00` } });
    await journal.deleteOne({ _id: 'cut' });
    expect(await guidesOf()).toBe(1);
  },
);

printingTest('the months of one account take no turn of another', async ({ startApi, stores }) => {
  const go = Promise.withResolvers<void>();
  onTestFinished(() => go.resolve());
  const proxy = await startMongoProxy(stores.mongoUri, async (command): Promise<Fate> => {
    if (command.find === 'guides' && JSON.stringify(command).includes('"otro"')) await go.promise;
    return 'done';
  });
  const api = await startApi({ MONGODB_URI: proxy.uri });
  const [greedy, other] = [await Client.login(api.url, 'otro'), await Client.login(api.url, 'demo')];
  const months = ['2026-01', '2026-02', '2026-03'].map((month) => greedy.get(`/api/uso?mes=${month}`));
  expect((await other.get('/api/uso')).status).toBe(200);
  go.resolve();
  expect((await Promise.all(months)).map(({ status }) => status)).toEqual([200, 200, 200]);
});
