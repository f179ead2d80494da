import { join } from 'node:path';
import type { Connection } from 'mongoose';
import { readTariffFolder } from '#services/api/quotes/tariffs/tariff-files.ts';
import { TariffStore } from '#services/api/quotes/tariffs/tariff-store.ts';
import { branchTable, columnsOf } from '#services/branches/csv-columns.ts';
import { hashPassword } from '#shared/accounts/passwords.ts';
import { type NewUser, UserStore } from '#shared/accounts/user-store.ts';
import type { Branch } from '#shared/branches/branch.ts';
import { BranchStore, type Coverage } from '#shared/branches/branch-store.ts';
import { LineReport, readRows } from '#shared/commands/csv.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { connectMongo } from '#shared/stores/mongo.ts';

/**
 * Password of every demo user. `npm start`, and Compose with `DEMO=1`, load the users; both listen on loopback only.
 */
export const DEMO_PASSWORD = 'demo1234';

type DemoUser = Omit<NewUser, 'passwordHash' | 'disabled'>;

const user = (
  username: string,
  originBranch: string | null,
  ...permissions: NewUser['permissions']
): DemoUser => ({
  username,
  account: username,
  originBranch,
  permissions,
});
/** docs/contract.md "Demo data" has them as a table. */
export const DEMO_USERS = [
  user('demo', 'MEX01', 'guias.create', 'guias.read', 'guias.cancel', 'guias.quote', 'webhooks.admin'),
  { ...user('demo2', 'MEX01', 'guias.create', 'guias.read'), account: 'demo' },
  user('otro', 'GDL01', 'guias.create', 'guias.read', 'guias.cancel', 'guias.quote', 'webhooks.admin'),
  user('lectura', 'MEX01', 'guias.read', 'guias.quote'),
  user('sinorigen', null, 'guias.create', 'guias.read'),
  user('inactiva', 'CUN01', 'guias.create', 'guias.read'),
  user('escaner', 'MEX01', 'eventos.create', 'guias.read'),
  {
    ...user('prueba', 'MEX01', 'guias.create', 'guias.read', 'guias.cancel', 'guias.quote', 'webhooks.admin'),
    account: 'pruebas',
    test: true,
  },
  user('operaciones', 'MEX01', 'guias.read', 'guias.read.all', 'colas.admin'),
];

/** In a file as operators load it (`npm run branches`). */
export const BRANCHES: Branch[] = [];
const file = join(import.meta.dirname, 'demo-branches.csv');
for await (const { cells } of readRows(file, columnsOf(branchTable), new LineReport()))
  BRANCHES.push(branchTable.toRecord(cells));

export const COVERAGE: Coverage[] = BRANCHES.map(({ CodigoPostal, Codigo }) => ({
  postalCode: CodigoPostal,
  code: Codigo,
}));

/** The demo tariff, as those who keep prices load it (`npm run tariffs`). */
export const DEMO_TARIFF = join(import.meta.dirname, 'demo-tariff');

/**
 * Loads the demo data (docs/contract.md "Demo data") into a database that has no users. The users come last, so that
 * an interrupted load is done again.
 * @returns false for a database that has users.
 */
export async function seedDemoData(mongodbUri: string): Promise<boolean> {
  const mongo = await connectMongo(mongodbUri, createLogger('demo-data', 'warn'));
  try {
    const users = new UserStore(mongo);
    if (await users.any()) return false;
    const branches = new BranchStore(mongo);
    await branches.loadBranches(BRANCHES);
    await branches.loadCoverage(COVERAGE);
    await loadTariff(mongo);
    const passwordHash = await hashPassword(DEMO_PASSWORD);
    const common = { passwordHash, disabled: false, demo: true, tokenGeneration: 0 };
    for (const demo of DEMO_USERS) await users.create({ ...demo, ...common });
    return true;
  } finally {
    await mongo.close();
  }
}

async function loadTariff(mongo: Connection): Promise<void> {
  const store = new TariffStore(mongo);
  // An interrupted load may have stored it already.
  if ((await store.entries()).length > 0) return;
  await store.add(0, { folder: await readTariffFolder(DEMO_TARIFF), from: new Date(), by: 'demo' });
}
