import { DEMO_PASSWORD } from '../demo-data.ts';
import type { System } from '../system.ts';

/**
 * Says where everything is, how to print a first label, and how to ask for a price.
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
  Demo user "demo", password "${DEMO_PASSWORD}". Log in, create a guide, print its label; ask what a parcel costs:

${firstRequests(api)}
${firstQuote(api)}
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
  const guide = JSON.stringify({
    TipoServicio: 'Domicilio',
    Guia: [
      {
        Remitente: { Nombre: 'Ana' },
        Destinatario: {
          Nombre: 'Luis',
          Calle: 'Av. Paseo de la Reforma',
          Numero_exterior: '250',
          Colonia: 'Juárez',
          Municipio: 'Cuauhtémoc',
          Estado: 'Ciudad de México',
          CodigoPostal: '06600',
        },
        Producto: { Contenido: 'Libros' },
        Creado_por: {},
      },
    ],
  });
  return `TOKEN=$(curl -s -X POST ${api}/api/auth/login -H 'X-Username: demo' -H 'X-Password: ${DEMO_PASSWORD}' | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
GUIA=$(curl -s ${api}/api/guias/crear -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '${guide}' | sed 's/.*"SEND_GUIA":"\\([^"]*\\)".*/\\1/')
curl -s ${api}/api/guias/etiqueta/$GUIA -H "Authorization: Bearer $TOKEN" -o guia.pdf`;
}

function firstQuote(api: string): string {
  const guide = JSON.stringify({
    Guia: [
      {
        Destinatario: { CodigoPostal: '64000' },
        Producto: { Peso: 2.5, Largo: 30, Alto: 20, Ancho: 15 },
      },
    ],
  });
  return `curl -s ${api}/api/guias/cotizar -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '${guide}'`;
}

/** The address of a given server may hold a password. */
function withoutPassword(address: string): string {
  return address.replace(/\/\/[^@/]*@/, '//…@');
}
