import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DEMO_PASSWORD, seedDemoData } from './demo-data.ts';
import { repoRoot } from './folders.ts';
import { provideMongo, removeMongoData } from './mongo/mongo.ts';
import { isFreePort } from './process/free-port.ts';
import { tryLock } from './process/lock.ts';
import { describeFailure, type OwnedProcess, stopAllProcesses } from './process/owned-process.ts';
import { provideChromium } from './programs/chromium.ts';
import { provideRedis } from './programs/redis.ts';
import { keptSecrets } from './secrets.ts';
import { SetupError } from './setup-error.ts';
import { type ServiceName, type System, startSystem } from './system.ts';

const HELP = `Usage: npm start [-- --fresh]

Starts the whole system on this machine, with all that it needs, and stops it on Ctrl-C.

  --fresh  begin with an empty database and new demo data
  --help   this text

  API_PORT, BRANCHES_PORT, LABEL_WORKER_PORT,
  DASHBOARD_PORT                         ports other than 3000, 3001, 3002, 3003
  MONGODB_URI, REDIS_URL, CHROMIUM_PATH  use these instead of starting or installing one
  LOG_LEVEL                              least severe level in the services' logs
`;

const PORTS: Record<ServiceName, { variable: string; usual: number }> = {
  api: { variable: 'API_PORT', usual: 3000 },
  branches: { variable: 'BRANCHES_PORT', usual: 3001 },
  'label-worker': { variable: 'LABEL_WORKER_PORT', usual: 3002 },
  dashboard: { variable: 'DASHBOARD_PORT', usual: 3003 },
};

const folder = join(repoRoot, '.local');
const logFolder = join(folder, 'logs');

try {
  const { fresh, help } = parseOptions();
  if (help) say(HELP);
  else await Promise.race([runUntilFailure(fresh), stopSignal()]);
} catch (error) {
  process.exitCode = 1;
  process.stderr.write(`${explain(error)}\n`);
} finally {
  await stopAllProcesses();
}
process.exit();

async function runUntilFailure(fresh: boolean): Promise<never> {
  if (!(await tryLock(repoRoot))) {
    throw new SetupError(
      'npm start already runs in this checkout: stop it (Ctrl-C) before you start another.',
    );
  }
  const ports = await freePorts();
  if (fresh) removeData();
  rmSync(logFolder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });

  const options = { folder, durable: true, log: progress };
  const [mongo, redis, chromiumPath] = await Promise.all([
    provideMongo(options),
    provideRedis(options),
    provideChromium(progress),
  ]);
  const mongoUri = databaseUri(mongo.uri);
  if (await seedDemoData(mongoUri)) progress('Loaded the demo data.');
  progress('Starting the services…');
  const secrets = keptSecrets(join(folder, 'secrets.json'));
  const system = await startSystem({
    mongoUri,
    redisUrl: redis.url,
    chromiumPath,
    secrets,
    logFolder,
    ports,
  });
  say(readyText(system, { [mongo.description]: mongoUri, [redis.description]: redis.url }));

  const endings = [...Object.values(system.processes), ...mongo.processes, ...redis.processes].map(
    unexpectedEnd,
  );
  return Promise.race(endings);
}

function parseOptions(): { fresh: boolean; help: boolean } {
  try {
    const options = {
      fresh: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    } as const;
    return parseArgs({ options }).values;
  } catch (error) {
    throw new SetupError(`${(error as Error).message.split('. ')[0]}: see npm start -- --help.`);
  }
}

/** The ports as the environment says, all of them free: looked at before anything is started. */
async function freePorts(): Promise<Record<ServiceName, number>> {
  const ports = {} as Record<ServiceName, number>;
  for (const name of Object.keys(PORTS) as ServiceName[]) {
    const { variable, usual } = PORTS[name];
    const port = Number(process.env[variable] || usual);
    if (!Number.isInteger(port) || port < 1 || port > 65_535) {
      throw new SetupError(`${variable} must be a port, such as ${variable}=${usual + 100}.`);
    }
    if (Object.values(ports).includes(port) || !(await isFreePort(port))) {
      throw new SetupError(`Port ${port} is taken: choose another with ${variable}=${port + 100} npm start.`);
    }
    ports[name] = port;
  }
  return ports;
}

function removeData(): void {
  const given = ['MONGODB_URI', 'REDIS_URL'].find((variable) => process.env[variable]);
  if (given) throw new SetupError(`--fresh deletes only our own data: unset ${given}, or leave --fresh out.`);
  removeMongoData(folder);
  rmSync(folder, { recursive: true, force: true });
}

/** A server of our own is empty but for our database; with `MONGODB_URI` its name was given. */
function databaseUri(uri: string): string {
  if (uri.endsWith('/') && !process.env.MONGODB_URI) return `${uri}guias`;
  if (/^[^:]+:\/\/[^/?]+\/[^/?]+/.test(uri)) return uri;
  throw new SetupError('MONGODB_URI must name a database, such as mongodb://127.0.0.1:27017/guias.');
}

async function unexpectedEnd(child: OwnedProcess): Promise<never> {
  throw new Error(describeFailure(child, (await child.ended).text));
}

/** Resolves at the first Ctrl-C or SIGTERM; a second one ends everything at once. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let first: number | undefined;
    const stop = () => {
      if (first === undefined) say('\nStopping…\n');
      // One Ctrl-C arrives twice under npm: from the terminal, and passed on by npm.
      else if (Date.now() - first > 500) process.exit(1); // owned-process.ts then kills what is left
      first ??= Date.now();
      resolve();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
    process.stdout.on('error', () => {}); // a terminal that was closed must not keep us from stopping in order
  });
}

function readyText({ addresses }: System, servers: Record<string, string>): string {
  // An address that was given may hold a password.
  const list = Object.entries(servers).map(
    ([name, address]) => `  ${name.padEnd(12)}  ${address.replace(/\/\/[^@/]*@/, '//…@')}`,
  );
  const guide = JSON.stringify({
    TipoServicio: 'Domicilio',
    Guia: [
      {
        Remitente: { Nombre: 'Ana' },
        Destinatario: { Nombre: 'Luis', CodigoPostal: '06600' },
        Producto: { Contenido: 'Libros' },
        Creado_por: {},
      },
    ],
  });
  return `
Ready after ${seconds()} s.

  API           ${addresses.api}/api   try it in a browser: ${addresses.api}/api/docs
  Branches      ${addresses.branches}
  Label worker  ${addresses['label-worker']}
  Dashboard     ${addresses.dashboard}   log in as "operaciones", password "${DEMO_PASSWORD}"
${list.join('\n')}
  Logs          ${logFolder}

  Demo user "demo", password "${DEMO_PASSWORD}". Log in, create a guide, print its label:

TOKEN=$(curl -s -X POST ${addresses.api}/api/auth/login -H 'X-Username: demo' -H 'X-Password: ${DEMO_PASSWORD}' | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
GUIA=$(curl -s ${addresses.api}/api/guias/crear -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '${guide}' | sed 's/.*"SEND_GUIA":"\\([^"]*\\)".*/\\1/')
curl -s ${addresses.api}/api/guias/etiqueta/$GUIA -H "Authorization: Bearer $TOKEN" -o guia.pdf

Ctrl-C stops everything.
`;
}

function explain(error: unknown): string {
  const { message, stack } = error as Error;
  return (process.env.DEBUG && stack) || message;
}

function progress(line: string): void {
  say(`${seconds().padStart(6)} s  ${line}\n`);
}

function seconds(): string {
  return (performance.now() / 1000).toFixed(1);
}

function say(text: string): void {
  process.stdout.write(text);
}
