import { BranchStore, type Coverage } from '#services/branches/branch-store.ts';
import { hashPassword } from '#shared/auth/passwords.ts';
import { type NewUser, UserStore } from '#shared/auth/user-store.ts';
import type { Branch } from '#shared/contracts/branch.ts';
import { createLogger } from '#shared/observability/logger.ts';
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

export const BRANCHES: Branch[] = [
  {
    Codigo: 'MEX01',
    Nombre: 'Ciudad de México Juárez',
    Estado: 'Ciudad de México',
    Municipio: 'Cuauhtémoc',
    Colonia: 'Juárez',
    Calle: 'Av. Paseo de la Reforma',
    Numero: '250',
    CodigoPostal: '06600',
    Telefono: '5550000101',
    Origen: true,
    Destino: true,
    Activa: true,
  },
  {
    Codigo: 'MTY01',
    Nombre: 'Monterrey Centro',
    Estado: 'Nuevo León',
    Municipio: 'Monterrey',
    Colonia: 'Centro',
    Calle: 'Av. Juárez',
    Numero: '800',
    CodigoPostal: '64000',
    Telefono: '8150000101',
    Origen: true,
    Destino: true,
    Activa: true,
  },
  {
    Codigo: 'GDL01',
    Nombre: 'Guadalajara Centro',
    Estado: 'Jalisco',
    Municipio: 'Guadalajara',
    Colonia: 'Centro',
    Calle: 'Av. Vallarta',
    Numero: '1100',
    CodigoPostal: '44100',
    Telefono: '3350000101',
    Origen: true,
    Destino: true,
    Activa: true,
  },
  {
    Codigo: 'PUE01',
    Nombre: 'Puebla Centro',
    Estado: 'Puebla',
    Municipio: 'Puebla',
    Colonia: 'Centro',
    Calle: 'Av. Reforma',
    Numero: '320',
    CodigoPostal: '72000',
    Telefono: '2250000101',
    Origen: false,
    Destino: true,
    Activa: true,
  },
  {
    Codigo: 'TIJ01',
    Nombre: 'Tijuana Zona Centro',
    Estado: 'Baja California',
    Municipio: 'Tijuana',
    Colonia: 'Zona Centro',
    Calle: 'Av. Revolución',
    Numero: '1500',
    CodigoPostal: '22000',
    Telefono: '6650000101',
    Origen: true,
    Destino: false,
    Activa: true,
  },
  {
    Codigo: 'CUN01',
    Nombre: 'Cancún Centro',
    Estado: 'Quintana Roo',
    Municipio: 'Benito Juárez',
    Colonia: 'Supermanzana 5',
    Calle: 'Av. Tulum',
    Numero: '45',
    CodigoPostal: '77500',
    Telefono: '9950000101',
    Origen: true,
    Destino: true,
    Activa: false,
  },
];

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
    for (const demo of DEMO_USERS) await users.create({ ...demo, passwordHash, disabled: false, demo: true });
    return true;
  } finally {
    await mongo.close();
  }
}
