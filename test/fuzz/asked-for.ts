import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEMO_PASSWORD } from '#local/demo-data.ts';
import { repoRoot } from '#local/folders.ts';
import { Ledger } from '#services/api/cod/ledger.ts';
import { pay } from '#services/api/cod/remittances.ts';
import { hashPassword } from '#shared/accounts/passwords.ts';
import { UserStore } from '#shared/accounts/user-store.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { PERMISSIONS } from '#shared/rooms.ts';
import { connectMongo } from '#shared/stores/mongo.ts';
import { type Answer, Client, minimalGuide } from '#test/fixtures/client.ts';

/** A user of the account `demo` who may do everything, so that no operation is refused before its request is looked at. */
const USER = 'fuzz';

/**
 * Stores what requests ask for: guides, a manifest, a pick-up, a return, pictures, money.
 *
 * @returns the tokens of a user and of a test account, and the configuration of schemathesis by which each asks for them.
 */
export async function storeWhatIsAskedFor(url: string, mongoUri: string) {
  const mongo = await connectMongo(mongoUri, createLogger('fuzz', 'warn'));
  try {
    const passwordHash = await hashPassword(DEMO_PASSWORD);
    const rest = {
      account: 'demo',
      originBranch: 'MEX01',
      permissions: [...PERMISSIONS],
      disabled: false,
      demo: true,
    };
    await new UserStore(mongo).create({ username: USER, passwordHash, ...rest });
    const client = await Client.login(url, USER);
    const Producto = { Contenido: 'Libros', Peso: 2.5, Largo: 30, Alto: 20, Ancho: 15 };
    const one = { ...minimalGuide(), Producto, Cobro: { Monto: 450.5 } };
    const guides = Array.from({ length: 7 }, () => one);
    const [guide = '', cancelled = '', delivered = '', sentBack = '', listed = '', ...waiting] = (
      await client.created(...guides)
    ).map(({ SEND_GUIA }) => SEND_GUIA);
    const delivery = { Tipo: 'Entregado', Id: 'entrega', Ocurrido: new Date().toISOString() };
    const Cobrado = { Monto: 450.5, Medio: 'efectivo' };
    const Eventos = [delivered, sentBack].map((Guia) => ({ ...delivery, Guia, Cobrado }));
    dataOf(await client.post('/api/eventos', { Eventos }));
    await storePicture(client, `/api/eventos/${delivered}/entrega/evidencia/firma`);
    dataOf(await client.post(`/api/guias/${sentBack}/devolucion`, {}));
    const { Manifiesto } = dataOf(await client.post('/api/manifiestos', { Guias: [listed] }));
    const [pickup, other] = [await askForPickup(client, waiting[0]), await askForPickup(client, waiting[1])];
    const payment = await pay(new Ledger(mongo), 'demo', new Date(Date.now() + 1_000));
    if (!('remittance' in payment)) throw new Error('Nothing was collected that could be paid');
    const liquidacion = payment.remittance.number;
    const configuration = [
      '[parameters]',
      ...parameters({ guia: guide, manifiesto: Manifiesto, recoleccion: pickup, liquidacion }),
      // What ends something asks for another one, or all others would be refused from then on.
      ...operation(['cancelarGuia'], { guia: cancelled }),
      ...operation(['cancelarRecoleccion'], { recoleccion: other }),
      ...operation(['crearDevolucion', 'cotizarDevolucion', 'imprimirComprobante'], { guia: delivered }),
      ...operation(['guardarEvidencia', 'listarEvidencia'], { guia: delivered, Id: 'entrega' }),
      ...operation(['obtenerEvidencia'], { guia: delivered, Id: 'entrega', imagen: 'firma' }),
      ...operation(['crearEnlaceDeDevolucion', 'terminarEnlaceDeDevolucion'], { guia: sentBack }),
    ];
    const tester = await Client.login(url, 'prueba');
    const several = { ...one, Producto: { ...Producto, Paquetes: 2 } };
    const [played = ''] = (await tester.created(several)).map(({ SEND_GUIA }) => SEND_GUIA);
    return {
      fuzz: client.token,
      tester: tester.token,
      parameters: configuration.join('\n'),
      testParameters: ['[parameters]', ...parameters({ guia: played })].join('\n'),
    };
  } finally {
    await mongo.close();
  }
}

/** Asks for a pick-up of a guide, at an address of its own. @returns its number. */
async function askForPickup(client: Client, guide = ''): Promise<string> {
  const offers = dataOf(await client.get('/api/recolecciones/disponibles?CodigoPostal=06600'));
  const [{ SolicitarAntesDe: _, ...Ventana }] = offers.Ventanas;
  const Direccion = {
    Nombre: 'Ana Lopez',
    Celular: '5512345678',
    CodigoPostal: '06600',
    Calle: `Calle ${guide}`,
  };
  const body = { Ventana, Direccion, Guias: [guide], Paquetes: 1 };
  return dataOf(await client.post('/api/recolecciones', body)).Recoleccion;
}

async function storePicture({ url, token }: Client, path: string): Promise<void> {
  const body = await readFile(join(repoRoot, 'services/api/evidence/muestras/firma.jpg'));
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'image/jpeg' };
  const { status } = await fetch(url + path, { method: 'PUT', headers, body: new Uint8Array(body) });
  if (status !== 200) throw new Error(`The picture is refused: ${status}`);
}

// biome-ignore lint/suspicious/noExplicitAny: each operation has other data
function dataOf({ status, body }: Answer): any {
  if (status !== 200) throw new Error(`What the requests ask for is refused: ${JSON.stringify(body)}`);
  return body.data;
}

function operation(ids: string[], path: Record<string, string>): string[] {
  const names = ids.map((id) => `"${id}"`).join();
  return [
    '',
    '[[operations]]',
    `include-operation-id = [${names}]`,
    '[operations.parameters]',
    ...parameters(path),
  ];
}

function parameters(path: Record<string, string>): string[] {
  return Object.entries(path).map(([name, value]) => `"path.${name}" = "${value}"`);
}
