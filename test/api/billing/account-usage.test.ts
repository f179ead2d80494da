import { expect, vi } from 'vitest';
import { DEMO_PASSWORD } from '#local/demo-data.ts';
import { UserStore } from '#shared/accounts/user-store.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
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
  }, 10_000);
  expect(today).toMatchObject({ Guias: 2, Canceladas: 1, Etiquetas: 1 });

  const headers = { authorization: `Bearer ${customer.token}` };
  const csv = await (await fetch(`${api.url}/api/uso/csv`, { headers })).text();
  const [head, ...days] = csv.replace('\ufeff', '').trimEnd().split('\n');
  expect(head).toMatch(/^Fecha,Cuenta,Guias,Canceladas,Entregadas,Etiquetas,Total,/);
  expect(days.at(-1)).toBe(`${today?.Fecha},papeleria,2,1,0,1,0,0,0,0,2,0,1`);
});
