import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { KeyStore } from '#services/api/keys/key-store.ts';
import { canaryNames } from '#shared/canary/names.ts';
import { localFolder, repoRoot } from '../folders.ts';
import { freePort } from '../process/free-port.ts';
import { startProcess } from '../process/owned-process.ts';
import { groupsOfChildren, identify, isRunning, type ProcessId, signalGroup } from '../process/process-id.ts';
import { waitUntilReady } from '../process/wait-until-ready.ts';
import { SetupError } from '../setup-error.ts';
import type { RunningSystem } from '../start/running-system.ts';
import { requireReady, withoutSecrets } from '../system.ts';
import { type Damage, FILLER, inLabelCache, inMongo, withLimits } from './damage.ts';
import { DemoClient, repeatUntil } from './demo-client.ts';

/**
 * Faults that `npm run drill` causes in a running `npm start`. test/dashboard/listed-faults.test.ts walks the same list, and
 * holds "Estado" to it.
 */

/** A drill under way, as a fault sees it. */
export type Practice = {
  system: RunningSystem;
  /** Writes to disk what is about to be broken. */
  willBreak(damage: Damage): void;
  /** Aborts when the drill ends: nothing is broken any more after that. */
  ended: AbortSignal;
  /** Aborts when all is well again. Until then customers go on: "Estado" says that requests fail until some succeed. */
  well: AbortSignal;
};

export type Fault = {
  /** As a person types it. */
  name: string;
  /** What was broken, and what would have shown it. In Spanish, for the end of a drill. */
  cause: string;
  clue: string;
  /** The lines of "Estado", or the headline of the page in its place. */
  line: RegExp;
  /** Longest time until "Estado" shows it, in s, on a machine that has nothing else to do. */
  shownWithinS: number;
  /** Anchor in k8s/runbook.md. */
  section: string;
  /** A customer's own matter: "Estado" says that all is well, and not when it ended. */
  isNote?: true;
  /** Who names the cause uses a word of each group. Small letters without accents; the beginning of a word is enough. */
  namedBy: readonly (readonly string[])[];
  /** Names of the process that it breaks; the first one that `npm start` runs. A given store is not broken. */
  culprit?: readonly string[];
  /** Breaks it, and keeps it broken until the drill ends. Resolves once it is broken. */
  begin(practice: Practice): Promise<void>;
};

const FROZEN = [
  'congela',
  'cuelga',
  'colgad',
  'detenid',
  'parad',
  'responde',
  'senal',
  'caid',
  'muert',
  'frozen',
];
const SLOW = ['lent', 'tarda', 'slow', 'pausa'];
const LABELS = ['etiqueta', 'label', 'cache'];
const CANARY = ['canary', 'prueba'];

export const FAULTS: readonly Fault[] = [
  {
    name: 'worker-frozen',
    cause: 'El label-worker estaba congelado (SIGSTOP): su proceso seguía ahí, y no imprimía nada.',
    clue: 'Su registro se interrumpe sin despedirse.',
    line: /^No hay ningún label-worker vivo: no se imprime nada$/,
    shownWithinS: 15,
    section: 'noworkers',
    namedBy: [
      ['worker', 'labelworker'],
      [...FROZEN, 'viv'],
    ],
    ...freezing('label-worker'),
  },
  {
    name: 'chromium-killed',
    cause: 'Alguien mataba al Chromium del label-worker cada vez que arrancaba.',
    clue: 'El registro del label-worker dice "Chromium failed, starting another" una y otra vez.',
    line: /^El Chromium de \S+ (?:no arranca|está arrancando), desde hace /,
    shownWithinS: 20,
    section: 'chromiumrestarts',
    namedBy: [['chrom', 'navegador']],
    culprit: ['label-worker'],
    begin: killChromium,
  },
  {
    name: 'queue-redis-frozen',
    cause: 'El Redis de la cola estaba congelado (SIGSTOP): aceptaba conexiones, y no respondía.',
    clue: 'PING no recibe respuesta, y en el registro de cada servicio no responde `redis`.',
    line: /^El Redis de la cola no responde al tablero$/,
    shownWithinS: 15,
    section: 'redisdown',
    namedBy: [['redis'], ['cola', 'queue']],
    ...freezing('Redis'),
  },
  {
    name: 'label-cache-frozen',
    cause: 'El Redis de las etiquetas estaba congelado (SIGSTOP): aceptaba conexiones, y no respondía.',
    clue: 'PING no recibe respuesta, y `/health/ready` de la api dice `"label-cache":"down"`.',
    line: /^El Redis de las etiquetas no responde a api, label-worker, dashboard$/,
    shownWithinS: 15,
    section: 'redisdown',
    namedBy: [['redis', 'cache'], LABELS, FROZEN],
    ...freezing('Label cache'),
  },
  {
    name: 'label-cache-full',
    cause: 'El Redis de las etiquetas estaba lleno, con maxmemory-policy noeviction: rechazaba las nuevas.',
    clue: '`INFO memory` de ese Redis dice maxmemory, lo que usa y su política.',
    line: /^El Redis de las etiquetas (?:rechaza escrituras de |las rechaza cuando está lleno: )/,
    shownWithinS: 15,
    section: 'labelcachepolicy',
    namedBy: [['redis', 'cache'], LABELS, ['llen', 'full', 'memoria', 'maxmemory', 'noeviction', 'oom']],
    culprit: ['Label cache'],
    begin: fillLabelCache,
  },
  {
    name: 'mongodb-frozen',
    cause: 'MongoDB estaba congelado (SIGSTOP): aceptaba conexiones, y no respondía.',
    clue: '`/health/ready` de api, branches y webhooks dice `"mongodb":"down"`.',
    line: /^MongoDB no responde a api, branches, webhooks, dashboard$/,
    shownWithinS: 15,
    section: 'mongodown',
    namedBy: [['mongo', 'ferretdb', 'documentdb', 'base de datos']],
    ...freezing('MongoDB', 'FerretDB'),
  },
  {
    name: 'branches-frozen',
    cause: 'El servicio branches estaba congelado (SIGSTOP): crear y cotizar no obtenían la sucursal.',
    clue: 'Su `/health/ready` no responde, y la api dice `"branches":"down"`.',
    line: /^Ningún proceso de branches da señales$/,
    shownWithinS: 15,
    section: 'branchesdown',
    namedBy: [['branches', 'sucursal']],
    ...freezing('branches'),
  },
  {
    name: 'api-frozen',
    cause: 'La api estaba congelada (SIGSTOP): aceptaba conexiones, y no respondía.',
    clue: 'Su `/health/ready` no responde, y su registro se interrumpe.',
    line: /^Ningún proceso de api da señales$/,
    shownWithinS: 15,
    section: 'servicedown',
    namedBy: [['api'], FROZEN],
    ...freezing('api'),
  },
  {
    name: 'api-slow',
    cause:
      'Uno de dos procesos de api se detenía cinco segundos de cada seis. El otro era del simulacro, y estaba bien.',
    clue: '"Estado" dice en cuántos de los procesos falla; el registro de ese tiene `sin_respuesta`.',
    line: /^(?:Crear guías falla desde hace .* uno de 2 procesos de api|MongoDB no responde a api \(1 de 2\)|Un proceso de api no da señales|El cliente de prueba (?:no puede|espera demasiado para) )/,
    shownWithinS: 40,
    section: 'creationsfail',
    namedBy: [['api'], SLOW],
    culprit: ['api'],
    begin: slowApi,
  },
  {
    name: 'worker-slow',
    cause:
      'El label-worker se detenía cinco segundos de cada seis: daba señales de vida, e imprimía muy despacio.',
    clue: 'Ningún proceso reporta fallas. `pods` dice casi siempre `Paused` del label-worker.',
    line: /^(?:El cliente de prueba (?:espera demasiado para|no puede) imprimir |Imprimir etiquetas falla )/,
    shownWithinS: 90,
    section: 'customerscannot',
    namedBy: [['worker', 'labelworker'], SLOW],
    culprit: ['label-worker'],
    begin: slowWorker,
  },
  {
    name: 'canary-frozen',
    cause:
      'El servicio canary estaba congelado (SIGSTOP): nadie probaba como cliente. Los clientes no notaban nada.',
    clue: '`rounds` no recibe respuesta, y el registro de canary se interrumpe. Las demás partes están bien.',
    line: /^Nadie prueba desde hace .*: el servicio canary no responde$/,
    shownWithinS: 50,
    section: 'customerscannot',
    namedBy: [CANARY, FROZEN],
    ...freezing('canary'),
  },
  {
    name: 'canary-key-ended',
    cause:
      'La llave del cliente de prueba ya no existía: el servicio canary recibía 401, y nadie probaba. Los clientes no notaban nada.',
    clue: '`rounds` dice `"key":"refused"`, y `admin keys` no tiene ninguna llave de la cuenta del cliente de prueba.',
    line: /^Nadie prueba: la API rechaza la llave del cliente de prueba \(401\)/,
    shownWithinS: 35,
    section: 'customerscannot',
    namedBy: [CANARY, ['llave', 'key', '401']],
    begin: endCanaryKey,
  },
  {
    name: 'receiver-500',
    cause:
      'El servidor de un cliente respondía 500 a los avisos de su webhook. De lo nuestro no fallaba nada.',
    clue: '"Estado" lo dice como nota, y `admin webhooks` da el MOTIVO: se avisa al cliente.',
    line: /^Falla el webhook de demo \(127\.0\.0\.1:\d+\), desde hace .*: Respondio 500$/,
    shownWithinS: 15,
    section: 'webhooksbehind',
    isNote: true,
    namedBy: [['webhook', 'receptor', 'receiver', 'aviso', 'servidor del cliente']],
    begin: failReceiver,
  },
  {
    name: 'account-floods',
    cause:
      'La cuenta otro pedía mucho más que su límite. Los demás no lo notaban, así que no había que cambiar nada.',
    clue: 'El registro de la api dice "An account has reached its limit", con la cuenta.',
    line: /^La cuenta otro pasa su límite: [\d,]+ de sus solicitudes recibieron 429 en el último minuto$/,
    shownWithinS: 30,
    section: 'accountfloods',
    isNote: true,
    namedBy: [['cuenta', 'otro', 'inunda', 'flood', '429']],
    begin: flood,
  },
];

/** Returns whether an answer of the person on call names the cause. */
export function isNamed({ namedBy }: Fault, answer: string): boolean {
  const words = answer
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase();
  return namedBy.every((group) => group.some((word) => new RegExp(`(?<![a-z])${word}`).test(words)));
}

/** Returns the process that a fault would break; undefined if it breaks none, or `npm start` does not run it. */
export function culpritOf({ culprit = [] }: Fault, { processes }: RunningSystem): ProcessId | undefined {
  return culprit.map((name) => processes[name]).find(Boolean);
}

/** Stops a process: it stays there with its port and its connections, and so is not started again. */
function freezing(...culprit: string[]): Pick<Fault, 'culprit' | 'begin'> {
  return {
    culprit,
    async begin(practice) {
      const process = required(culprit, practice);
      practice.willBreak({ kind: 'frozen', process });
      if (!signalGroup(process, 'SIGSTOP'))
        throw new SetupError(`${culprit[0]} acaba de terminar: repita el simulacro.`);
    },
  };
}

function required(names: readonly string[], { system: { processes } }: Practice): ProcessId {
  const process = names.map((name) => processes[name]).find(Boolean);
  if (!process) throw new Error(`npm start runs no ${names.join(' or ')}`);
  return process;
}

/** Shorter than the start of Chromium, in ms. */
const KILL_PAUSE_MS = 200;

async function killChromium(practice: Practice): Promise<void> {
  const { ended, willBreak } = practice;
  const worker = required(['label-worker'], practice);
  willBreak({ kind: 'children-killed', process: worker });
  void repeatUntil(ended, KILL_PAUSE_MS, () => {
    // Another worker in its place is left alone: who replaced it has mended this.
    if (!isRunning(worker)) return;
    for (const group of groupsOfChildren(worker.pid)) process.kill(-group, 'SIGKILL');
  });
}

const MIB = 2 ** 20;

/** Sets the limit below what it uses by then. */
async function fillLabelCache(practice: Practice): Promise<void> {
  const process = required(['Label cache'], practice);
  await inLabelCache(practice.system, async (redis) => {
    const settings = (await redis.config('GET', 'maxmemory*')) as string[];
    const settingOf = (name: string) => settings[settings.indexOf(name) + 1] ?? '';
    const before = Object.fromEntries(
      ['maxmemory', 'maxmemory-policy'].map((name) => [name, settingOf(name)] as const),
    );
    practice.willBreak({ kind: 'label-cache-full', process, before });
    await redis.config('SET', 'maxmemory-policy', 'noeviction');
    await redis.set(FILLER, 'x'.repeat(4 * MIB));
    const used = Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
    await redis.config('SET', 'maxmemory', String(used - MIB));
  });
}

/** In ms. Longer than the api may leave a request unanswered, and shorter than a heartbeat lives. */
const STOPPED_MS = 5_300;
/** In ms: long enough for a heartbeat and some requests. */
const GOING_MS = 300;
/** Customers of the slow process: so many that those whose requests are stopped are no small share. */
const CUSTOMERS = 10;

/** Starts a second api, and stops the first one most of the time. Customers use both. */
async function slowApi(practice: Practice): Promise<void> {
  const { ended, system, well, willBreak } = practice;
  const api = required(['api'], practice);
  const second = await startSecondApi(practice);
  await createAllTheTime(second, ended, { customers: 1, pauseMs: 500 });
  await createAllTheTime(system.addresses.api, well, { customers: CUSTOMERS, pauseMs: 20 });
  willBreak({ kind: 'frozen', process: api });
  stopAtTimes(api, ended, { stoppedMs: STOPPED_MS, goingMs: GOING_MS });
}

/** In ms. Most labels wait for longer than their objective, and heartbeats, which are written in the rest, are never too old. */
const WORKER_STOPPED_MS = 5_000;
const WORKER_GOING_MS = 800;

async function slowWorker(practice: Practice): Promise<void> {
  const { ended, willBreak } = practice;
  const worker = required(['label-worker'], practice);
  willBreak({ kind: 'frozen', process: worker });
  stopAtTimes(worker, ended, { stoppedMs: WORKER_STOPPED_MS, goingMs: WORKER_GOING_MS });
}

function stopAtTimes(
  process: ProcessId,
  ended: AbortSignal,
  { stoppedMs, goingMs }: { stoppedMs: number; goingMs: number },
): void {
  void repeatUntil(ended, goingMs, async () => {
    signalGroup(process, 'SIGSTOP');
    await sleep(stoppedMs, undefined, { signal: ended });
    signalGroup(process, 'SIGCONT');
  });
}

async function endCanaryKey({ system, willBreak }: Practice): Promise<void> {
  willBreak({ kind: 'canary-key' });
  const { user } = canaryNames(process.env.CELL ?? '');
  await inMongo(system, (mongo) => new KeyStore(mongo).endAll(user));
}

async function createAllTheTime(
  url: string,
  end: AbortSignal,
  { customers, pauseMs }: { customers: number; pauseMs: number },
): Promise<void> {
  const client = new DemoClient(url, 'demo', end);
  await client.logIn();
  for (let customer = 0; customer < customers; customer++)
    void repeatUntil(end, pauseMs, () => client.createGuide());
}

/** Starts an api like that of `npm start`. @returns its address. */
async function startSecondApi({ system, willBreak }: Practice): Promise<string> {
  const port = await freePort();
  const second = startProcess({
    name: 'api-2',
    command: [process.execPath, join(repoRoot, 'services/api/main.ts')],
    env: { ...withoutSecrets(process.env), ...system.environments.api, PORT: String(port) },
    logFile: join(localFolder, 'logs', 'api-2.log'),
  });
  const id = identify(second.pid);
  if (id) willBreak({ kind: 'started', process: id });
  const url = `http://127.0.0.1:${port}`;
  await waitUntilReady(second, () => requireReady(url), 60_000);
  return url;
}

async function failReceiver({ ended, system, willBreak }: Practice): Promise<void> {
  const receiver = createServer((_, response) => response.writeHead(500).end());
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  ended.addEventListener('abort', () => {
    receiver.close();
    receiver.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const demo = new DemoClient(system.addresses.api, 'demo', ended);
  willBreak({ kind: 'webhook', url });
  const added = await demo.request('POST', '/api/webhooks', { Url: url });
  const guide = await demo.createGuide();
  if (added.status !== 200 || !guide)
    throw new SetupError('La API no creó el webhook y la guía del simulacro.');
  await demo.request('POST', `/api/guias/${guide}/cancelar`, {}); // the event that is sent
}

const FLOODING = 'otro';
/** So low that no machine is loaded by what exceeds it, in requests a second. */
const LIMIT = 5;
const FLOODS = 5;
/** In ms. The floods together ask five times as much as the limit. */
const FLOOD_PAUSE_MS = 150;

async function flood({ ended, system, willBreak }: Practice): Promise<void> {
  await withLimits(system, async (limits) => {
    willBreak({ kind: 'limits', account: FLOODING, before: await limits.find(FLOODING) });
    await limits.set(FLOODING, { requestsPerSecond: LIMIT, requestsBurst: LIMIT });
  });
  const client = new DemoClient(system.addresses.api, FLOODING, ended);
  await client.logIn();
  for (let one = 0; one < FLOODS; one++)
    void repeatUntil(ended, FLOOD_PAUSE_MS, () => client.request('GET', '/api/guias'));
}
