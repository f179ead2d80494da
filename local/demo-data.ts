import { join } from 'node:path';
import { branchTable, columnsOf } from '#services/branches/csv-columns.ts';
import { hashPassword } from '#shared/auth/passwords.ts';
import { type NewUser, UserStore } from '#shared/auth/user-store.ts';
import { LineReport, readRows } from '#shared/commands/csv.ts';
import type { Branch } from '#shared/contracts/branch.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { BranchStore, type Coverage } from '#shared/stores/branch-store.ts';
import { connectMongo } from '#shared/stores/mongo.ts';

/** Password of every demo user. `npm start` and, with `DEMO=1`, Compose load the users; both listen on loopback only. */
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
/** The demo users. docs/contract.md "Demo data" has them as a table. */
export const DEMO_USERS = [
  user('demo', 'MEX01', 'guias.create', 'guias.read', 'guias.cancel', 'webhooks.admin'),
  { ...user('demo2', 'MEX01', 'guias.create', 'guias.read'), account: 'demo' },
  user('otro', 'GDL01', 'guias.create', 'guias.read', 'guias.cancel', 'webhooks.admin'),
  user('lectura', 'MEX01', 'guias.read'),
  user('sinorigen', null, 'guias.create', 'guias.read'),
  user('inactiva', 'CUN01', 'guias.create', 'guias.read'),
  user('escaner', 'MEX01', 'eventos.create', 'guias.read'),
  user('operaciones', 'MEX01', 'guias.read', 'guias.read.all', 'colas.admin'),
];

/** The demo branches, in a file as operators load it (`npm run branches`). */
export const BRANCHES: Branch[] = [];
const file = join(import.meta.dirname, 'demo-branches.csv');
for await (const { cells } of readRows(file, columnsOf(branchTable), new LineReport()))
  BRANCHES.push(branchTable.toRecord(cells));

export const COVERAGE: Coverage[] = BRANCHES.map(({ CodigoPostal, Codigo }) => ({
  postalCode: CodigoPostal,
  code: Codigo,
}));

/**
 * Loads the demo users, branches and coverage (docs/contract.md "Demo data") into a database that has no users.
 *
 * @returns whether it did. The users come last, so that an interrupted load is done again.
 */
export async function seedDemoData(mongodbUri: string): Promise<boolean> {
  const mongo = await connectMongo(mongodbUri, createLogger('demo-data', 'warn'));
  try {
    const users = new UserStore(mongo);
    if (await users.any()) return false;
    const branches = new BranchStore(mongo);
    await branches.loadBranches(BRANCHES);
    await branches.loadCoverage(COVERAGE);
    const passwordHash = await hashPassword(DEMO_PASSWORD);
    const common = { passwordHash, disabled: false, demo: true, tokenGeneration: 0 };
    for (const demo of DEMO_USERS) await users.create({ ...demo, ...common });
    return true;
  } finally {
    await mongo.close();
  }
}
