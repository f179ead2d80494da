import { count, duration } from '#shared/pages/format.ts';
import type { HealthState } from '#shared/stores/dependencies.ts';
import { SERVICES } from './diagnoses/processes.ts';
import { statesOf } from './diagnoses/stores.ts';
import type { SystemState } from './system-state.ts';

/** The name of each dependency in the table, in the order of the columns. */
const NAMES: Readonly<Record<string, string>> = {
  mongodb: 'MongoDB',
  redis: 'Redis de la cola',
  'label-cache': 'Redis de las etiquetas',
  branches: 'branches',
  webhooks: 'webhooks',
  tariff: 'tarifas',
  'evidence-bucket': 'bucket de evidencia',
  'mail-server': 'servidor de correo',
  directory: 'directorio completo',
  chromium: 'Chromium',
  'self-test': 'su propia prueba',
};

/** What a process says of a dependency, before its name. */
const HOW: Readonly<Record<Exclude<HealthState, 'ok'>, string>> = {
  down: 'sin',
  refused: 'lo rechaza',
  public: 'es público:',
  'read-only': 'no escribe en',
  'disk-full': 'no escribe en',
};
const WORST_FIRST = Object.keys(HOW) as (keyof typeof HOW)[];

/** Lists the services: how many processes each has, for how long they run, and what they reach. A service is one row. */
export function processTable({ at, services, workers, lost, reached }: SystemState) {
  const rows = [...SERVICES, 'label-worker'].map((name) => {
    const own = name === 'label-worker' ? workers : services.filter(({ service }) => service === name);
    const ages = own.map(({ startedAt }) => at - startedAt).sort((one, other) => one - other);
    const missing = lost.filter(({ service }) => service === name).length;
    return {
      name,
      processes: String(own.length),
      lost: missing > 0 && own.length > 0 ? count(missing, 'sin señales', 'sin señales') : '',
      isMissing: own.length === 0,
      since: ages.length === 0 ? '—' : rangeOf(ages),
      ...reachOf(own.map(statesOf)),
    };
  });
  const since = duration(1_000 * process.uptime());
  const self = { name: 'dashboard', processes: 'este', lost: '', isMissing: false, since };
  return [...rows, { ...self, ...reachOf([reached]) }];
}

/** @param ages in ms, the shortest first. */
function rangeOf(ages: readonly number[]): string {
  const [newest = '', oldest = ''] = [ages[0], ages.at(-1)].map((age = 0) => duration(age));
  return newest === oldest ? oldest : `de ${newest} a ${oldest}`;
}

function reachOf(processes: readonly Readonly<Record<string, string>>[]) {
  const reached: string[] = [];
  const failing: string[] = [];
  for (const [dependency, name] of Object.entries(NAMES)) {
    const states = processes.flatMap((states) => states[dependency] ?? []);
    if (states.length === 0) continue;
    const bad = states.filter((state) => state !== 'ok');
    if (bad.length === 0) {
      reached.push(name);
      continue;
    }
    const share = bad.length < states.length ? ` en ${bad.length} de ${states.length}` : '';
    const worst = WORST_FIRST.find((state) => bad.includes(state)) ?? 'down';
    failing.push(`${HOW[worst]} ${name}${share}`);
  }
  return { reached: reached.join(', '), failing: failing.join(', ') };
}
