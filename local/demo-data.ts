import { join } from 'node:path';
import type { Connection } from 'mongoose';
import { readCalendar } from '#services/api/pickups/calendar/calendar-files.ts';
import { CalendarStore, NO_CALENDAR } from '#services/api/pickups/calendar/calendar-store.ts';
import { readTariffFolder } from '#services/api/quotes/tariffs/tariff-files.ts';
import { TariffStore } from '#services/api/quotes/tariffs/tariff-store.ts';
import { branchTable, columnsOf } from '#services/branches/csv-columns.ts';
import { hashPassword } from '#shared/accounts/passwords.ts';
import { type NewUser, UserStore } from '#shared/accounts/user-store.ts';
import type { Branch } from '#shared/branches/branch.ts';
import { BranchStore, type Coverage } from '#shared/branches/branch-store.ts';
import { LineReport, readRows } from '#shared/commands/csv.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { CUSTOMER_PERMISSIONS } from '#shared/rooms.ts';
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
  user('demo', 'MEX01', ...CUSTOMER_PERMISSIONS),
  { ...user('demo2', 'MEX01', 'guias.create', 'guias.read'), account: 'demo' },
  user('otro', 'GDL01', ...CUSTOMER_PERMISSIONS),
  user('lectura', 'MEX01', 'guias.read', 'guias.quote'),
  user('sinorigen', null, 'guias.create', 'guias.read'),
  user('inactiva', 'CUN01', 'guias.create', 'guias.read'),
  user('escaner', 'MEX01', 'eventos.create', 'guias.read'),
  {
    ...user('prueba', 'MEX01', ...CUSTOMER_PERMISSIONS),
    account: 'pruebas',
    test: true,
  },
  user('operaciones', 'MEX01', 'guias.read', 'guias.read.all', 'colas.admin', 'recolecciones.admin'),
  user('soporte', 'MEX01', 'soporte.read', 'soporte.personas', 'guias.read', 'guias.read.all'),
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

/** The branch that delivers in the states whose postal codes begin so, on what `npm start` and Compose run. */
const STATES: Readonly<Record<string, readonly string[]>> = {
  MEX01: ['01-16', '39-43', '50-57', '62', '76'],
  MTY01: ['25-27', '31-35', '64-67', '78-79', '87-89'],
  GDL01: ['20-23', '28', '36-38', '44-49', '58-61', '63', '80-85', '98-99'],
  PUE01: ['24', '29-30', '68-75', '77', '86', '90-97'],
};
/** Stays without coverage, so that there is an example of that. */
const UNCOVERED = '99999';

/** Returns a branch for every postal code of Mexico but one, and for the codes of `COVERAGE` what that says. */
export function nationalCoverage(): Coverage[] {
  const covered = new Map<string, Coverage>();
  for (const [code, states] of Object.entries(STATES)) {
    for (const [from = '', to = from] of states.map((range) => range.split('-'))) {
      for (let number = Number(`${from}000`); number <= Number(`${to}999`); number++) {
        const postalCode = String(number).padStart(5, '0');
        if (postalCode !== UNCOVERED) covered.set(postalCode, { postalCode, code });
      }
    }
  }
  for (const one of COVERAGE) covered.set(one.postalCode, one);
  return [...covered.values()];
}

/** The demo tariff, as those who keep prices load it (`npm run tariffs`). */
export const DEMO_TARIFF = join(import.meta.dirname, 'demo-tariff');

/** The days and hours at which the demo branches pick up, as operators load them (`npm run admin -- pickups`). */
export const DEMO_PICKUPS = join(import.meta.dirname, 'demo-pickups');

/** MongoDB answers, but a machine that starts everything at once may keep it and this process waiting for seconds. */
export const PATIENT = {
  serverSelectionTimeoutMS: 30_000,
  connectTimeoutMS: 30_000,
  waitQueueTimeoutMS: 30_000,
};

/**
 * Loads the demo data (docs/contract.md "Demo data") into a database that has no users. The users come last, so that
 * an interrupted load is done again.
 * @param coverage by default of a few postal codes, because all of Mexico's take seconds.
 * @returns false for a database that has users.
 */
export async function seedDemoData(mongodbUri: string, coverage = COVERAGE): Promise<boolean> {
  const mongo = await connectMongo(mongodbUri, createLogger('demo-data', 'warn'), PATIENT);
  try {
    const users = new UserStore(mongo);
    if (await users.any()) return false;
    const branches = new BranchStore(mongo);
    await branches.loadBranches(BRANCHES);
    await branches.loadCoverage(coverage);
    await loadTariff(mongo);
    await loadPickupCalendar(mongo);
    const passwordHash = await hashPassword(DEMO_PASSWORD);
    const common = { passwordHash, disabled: false, demo: true, tokenGeneration: 0 };
    for (const demo of DEMO_USERS) await users.create({ ...demo, ...common });
    return true;
  } finally {
    await mongo.close();
  }
}

/** Returns the names of the demo users of a database. One that an earlier release has filled lacks those added since. */
export async function findDemoUsers(mongodbUri: string): Promise<Set<string>> {
  const mongo = await connectMongo(mongodbUri, createLogger('demo-data', 'warn'));
  try {
    const users = await new UserStore(mongo, { allowDemo: true }).findAll(
      DEMO_USERS.map(({ username }) => username),
    );
    return new Set(users.filter(({ demo, disabled }) => demo && !disabled).map(({ username }) => username));
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

async function loadPickupCalendar(mongo: Connection): Promise<void> {
  const store = new CalendarStore(mongo);
  if ((await store.version()) > 0) return;
  const codes = new Set(BRANCHES.map(({ Codigo }) => Codigo));
  await store.add(0, await readCalendar(DEMO_PICKUPS, NO_CALENDAR, codes), 'demo');
}
