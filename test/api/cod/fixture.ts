import { run as runCli } from '#services/api/cli.ts';
import { UserStore } from '#shared/accounts/user-store.ts';
import { COD_LEDGER, type LedgerEntry } from '#shared/cod/ledger-model.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { event, test as events } from '#test/fixtures/events.ts';
import { userMaker } from '#test/fixtures/new-user.ts';
import { runCommand } from '#test/fixtures/operators/command.ts';

/** A guide as `GET /api/cobros` shows it. */
export type CollectedGuide = {
  SEND_GUIA: string;
  SEND_ESTATUS: string;
  Cobro: number;
  Cobrado: number;
  Diferencia?: { Tipo: string; Importe: number };
  Movimientos: { Id: string; Importe: number; Liquidacion?: string }[];
};

/** A guide of which so much is to be collected. */
export const codGuide = (Monto = 450.5, more: object = {}) => ({
  ...minimalGuide(),
  Cobro: { Monto },
  ...more,
});

/** The delivery of a guide, with so much money. */
export const paid = (guide: string, Monto: number, more: object = {}) =>
  event(guide, 'Entregado', { Cobrado: { Monto, Medio: 'efectivo' }, ...more });

export async function collectedOf(client: Client, query = '') {
  const { body } = await client.get(`/api/cobros${query}`);
  return body as unknown as { data: CollectedGuide[]; porLiquidar: number; siguiente: string | null };
}

/** Lines of a file for the bank. */
export const linesOf = (out: string) => out.replace('\uFEFF', '').split('\n').filter(Boolean);
/** The number of the first remittance in it. */
export const numberIn = (out: string) => linesOf(out)[1]?.split(',')[2] ?? '';

const PASSWORD = 'clave-de-prueba-1';
const PERMISSIONS = ['guias.create', 'guias.read', 'guias.cobro', 'webhooks.admin'] as const;

/** Tests with the commands of `npm run admin -- cobros`, and customers of a test's own. */
export const test = events
  .extend('newCod', { scope: 'file' }, ({ demo }) => async (Monto?: number, more?: object) => {
    const [guide] = await demo.created(codGuide(Monto, more));
    return guide?.SEND_GUIA ?? '';
  })
  .extend('cobros', { scope: 'file' }, ({ stores }) => (...args: string[]) => {
    const env = { MONGODB_URI: stores.mongoUri, TIME_ZONE: 'America/Mexico_City', OPERATOR: 'ana' };
    return runCommand(runCli, ['cobros', ...args], { env });
  })
  /** Local time of America/Mexico_City, which has no summer time, a moment from now. */
  .extend('localTime', { scope: 'file' }, () => (ms = 0) => {
    return new Date(Date.now() - 6 * 3_600_000 + ms).toISOString().slice(0, 19);
  })
  .extend('makeUser', { scope: 'file' }, ({ stores }) => userMaker(new UserStore(stores.mongo), PASSWORD))
  .extend('names', { scope: 'file' }, () => ({ made: 0 }))
  /** A customer of a test's own. */
  .extend('shop', async ({ api, makeUser, names }) => {
    const name = `tienda${++names.made}`;
    await makeUser(name, { originBranch: 'MEX01', permissions: [...PERMISSIONS] });
    return { name, client: await Client.login(api.url, name, PASSWORD) };
  })
  /** Collects these amounts of a guide each. @returns their numbers. */
  .extend('collect', ({ register, shop }) => async (...amounts: number[]) => {
    const guides = await shop.client.created(...amounts.map((each) => codGuide(each)));
    const numbers = guides.map(({ SEND_GUIA }) => SEND_GUIA);
    await register(...numbers.map((number, i) => paid(number, amounts[i] as number, { Id: 'cobro' })));
    return numbers;
  })
  /** Has all that is in the shop's ledger registered so long ago, in ms. */
  .extend('age', ({ shop, stores }) => async (ms: number) => {
    const entries = stores.mongo.collection<LedgerEntry>(COD_LEDGER.name);
    const own = { _id: { $gte: `${shop.name} `, $lt: `${shop.name}!` } };
    for (const { _id, registered } of await entries.find(own).toArray())
      await entries.updateOne({ _id }, { $set: { registered: new Date(registered.getTime() - ms) } });
  })
  .extend('pay', ({ cobros, localTime, shop }) => (until = localTime(-30_000)) => {
    return cobros('pagar', '--account', shop.name, '--hasta', until);
  });
