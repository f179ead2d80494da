import { DEMO_PASSWORD } from '../demo-data.ts';
import type { System } from '../system.ts';

/**
 * Says where everything is, and how to get a price and print a first label.
 *
 * @param options.servers addresses of the databases by their names.
 * @param options.users the demo users that exist: a database of an earlier release, or of an operator, may lack some.
 * @param options.canaryProblem why there is no canary.
 */
export function readyMessage(options: {
  seconds: string;
  addresses: System['addresses'];
  servers: Record<string, string>;
  users: ReadonlySet<string>;
  logFolder: string;
  canaryProblem?: string | undefined;
}): string {
  const { seconds, addresses, servers, users, logFolder, canaryProblem } = options;
  const ifThere = (user: string, text: string) => (users.has(user) ? text : '');
  const list = Object.entries(servers).map(
    ([name, address]) => `  ${name.padEnd(12)}  ${withoutPassword(address)}`,
  );
  return `
Ready after ${seconds} s.

  API           ${addresses.api}/api   guide, and a page to try it: ${addresses.api}/api/docs
  Quotes        ${addresses.api}/cotizador   prices of the demo tariff, for everybody
  Counter       ${addresses.api}/mostrador   guides without a program: log in as one of the demo users below
  Branches      ${addresses.branches}
  Label worker  ${addresses['label-worker']}
  Webhooks      ${addresses.webhooks}   sends events also to this machine, by plain http
  Canary        ${
    canaryProblem === undefined
      ? `${addresses.canary}   a customer of our own, and its last rounds`
      : `does not run, so nobody tries what customers do: ${canaryProblem}`
  }
  Dashboard     ${addresses.dashboard}${dashboardUsers(users)}
${list.join('\n')}
  Logs          ${logFolder}
${ifThere('demo', asDemo(addresses.api))}${ifThere('prueba', asPrueba(addresses.api))}
Ctrl-C stops everything.
`;
}

function dashboardUsers(users: ReadonlySet<string>): string {
  const logins = [
    { user: 'operaciones', purpose: '' },
    { user: 'soporte', purpose: " to look for a customer's guide" },
  ].filter(({ user }) => users.has(user));
  const texts = logins.map(({ user, purpose }) =>
    `as "${user}", password "${DEMO_PASSWORD}",${purpose}`.replace(/,$/, ''),
  );
  return texts.length > 0 ? `   log in ${texts.join(';\n                ')}` : '';
}

function asDemo(api: string): string {
  return `
  Demo user "demo", password "${DEMO_PASSWORD}". Log in, ask for a price, create a guide with it, print its label:

${firstRequests(api)}
echo ${api}/rastreo/$GUIA   # where the parcel is: the label's QR code leads there

  A program sends a key in place of the token: examples/README.md makes one for the examples.
`;
}

function asPrueba(api: string): string {
  return `
  User "prueba", password "${DEMO_PASSWORD}", has a test account: labels that say so, and POST /api/guias/{guia}/simular plays what
  happens to a parcel, also the bad days: ${api}/api/docs/pruebas
`;
}

function firstRequests(api: string): string {
  const measures = { Peso: 2.5, Largo: 30, Alto: 20, Ancho: 15 };
  const quoted = { Destinatario: { CodigoPostal: '64000' }, Producto: measures };
  const guide = {
    Cotizacion: `'$COTIZACION'`,
    Remitente: { Nombre: 'Ana' },
    Destinatario: {
      Nombre: 'Luis',
      Calle: 'Av. Juárez',
      Numero_exterior: '800',
      Colonia: 'Centro',
      Municipio: 'Monterrey',
      Estado: 'Nuevo León',
      CodigoPostal: '64000',
    },
    Producto: { Contenido: 'Libros', ...measures },
    Creado_por: {},
  };
  const post = (path: string, sent: object, answered: string) =>
    `$(curl -s ${api}/api/guias/${path} -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '${JSON.stringify({ TipoServicio: 'Domicilio', Guia: [sent] })}' | ${fieldOf(answered)})`;
  return `TOKEN=$(curl -s -X POST ${api}/api/auth/login -H 'X-Username: demo' -H 'X-Password: ${DEMO_PASSWORD}' | ${fieldOf('access_token')})
COTIZACION=${post('cotizar', quoted, 'Cotizacion')}
GUIA=${post('crear', guide, 'SEND_GUIA')}
curl -s ${api}/api/guias/etiqueta/$GUIA -H "Authorization: Bearer $TOKEN" -o guia.pdf`;
}

/** Returns the command that takes a field's text out of JSON. */
function fieldOf(field: string): string {
  return `sed 's/.*"${field}":"\\([^"]*\\)".*/\\1/'`;
}

/** The address of a given server may hold a password. */
function withoutPassword(address: string): string {
  return address.replace(/\/\/[^@/]*@/, '//…@');
}
