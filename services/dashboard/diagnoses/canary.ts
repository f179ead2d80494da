import {
  type CanaryReport,
  type Fault,
  GOOD_ROUND_MAX_AGE_MS,
  goodMsOf,
  STEP_ACTIONS,
  STEPS,
  type Step,
  type WayReport,
} from '#shared/canary/report.ts';
import { STEP_WORDS } from '#shared/canary/step-words.ts';
import { count, duration, number } from '#shared/pages/format.ts';
import type { CanaryState } from '../canary-reader.ts';
import { type Diagnosis, type Effect, grave, warning } from './diagnosis.ts';

/** What a step needs beside its action: the manifest is printed too. */
const MORE_EFFECTS: Readonly<Partial<Record<Step, readonly Effect[]>>> = {
  manifest: ['print', 'print-tried'],
  clock: ['clock'],
};
/** Why nothing is tried with the canary's key. */
const KEYS = {
  refused:
    'Nadie prueba: la API rechaza la llave del cliente de prueba (401). El servicio canary la vuelve a leer cada 15 s',
  limited:
    'Nadie prueba: la cuenta del cliente de prueba llegó a su límite (429). Repita admin canary, con --ways y las entradas que hay',
};
/** Most ways in that a line names. */
const MAX_NAMED = 3;

/** Several readings in a row were not answered. */
const SILENT_MS = 10_000;

type Found = Fault & {
  /** Undefined for the periodic checks. */
  by?: WayReport;
};

/**
 * Says what the canary, a customer of our own, cannot do, or why nobody knows what customers can. Returns nothing only if a good round
 * by each way in is at most `GOOD_ROUND_MAX_AGE_MS` old.
 */
export function diagnoseCanary({ report, silentMs }: CanaryState): Diagnosis[] {
  const since = `${report ? '' : 'al menos '}${duration(silentMs)}`;
  const away = untried('away', `Nadie prueba desde hace ${since}: el servicio canary no responde`);
  if (!report || silentMs > GOOD_ROUND_MAX_AGE_MS) return [away];
  const rounds = diagnoseRounds(report);
  return [...diagnoseFaults(report), ...(rounds.length > 0 && silentMs > SILENT_MS ? [away] : rounds)];
}

/** Where several steps of one action are bad, the most telling one is said. */
function diagnoseFaults({ ways, checks }: CanaryReport): Diagnosis[] {
  const byWay = ways.flatMap((by) => (by.fault ? [{ ...by.fault, by }] : []));
  const found: Found[] = [...byWay, ...checks];
  return firstOfEachAction(found).map((step) => diagnoseStep(step, found, ways.length));
}

/** Says why there are no good rounds, apart from faults. */
function diagnoseRounds({ key, waiting, ways, uptimeMs }: CanaryReport): Diagnosis[] {
  if (key !== 'ok') return [untried(key === 'refused' ? 'key' : 'limited', KEYS[key])];
  if (waiting) {
    const text = 'El cliente de prueba todavía no puede empezar: no hay sucursales cargadas';
    return [{ ...untried('waiting', text), effectOn: ['canary'] }];
  }
  // A way that has just come is not tried yet.
  const stale = ways.filter((way) => !way.fault && (way.goodAgoMs ?? way.triedForMs) > goodMsOf(way));
  const isTried = ways.some(({ goodAgoMs, fault }) => goodAgoMs !== undefined || fault);
  if (isTried && stale.length === 0) return [];
  if (uptimeMs <= GOOD_ROUND_MAX_AGE_MS) {
    const text = `Nadie ha probado todavía: el servicio canary empezó hace ${duration(uptimeMs)}`;
    // Nothing was wrong that could end.
    return [{ ...untried('begins', text), fades: true }];
  }
  const sinceMs =
    stale.length > 0
      ? Math.max(...stale.map(({ goodAgoMs, triedForMs }) => goodAgoMs ?? triedForMs))
      : uptimeMs;
  const where = `${waysOf(stale, ways.length)} desde hace ${duration(sinceMs)}`;
  return [untried('stuck', `Nadie prueba${where}: el servicio canary no termina ninguna ronda`)];
}

/** @param why names the reason for which nobody knows what customers can do. */
function untried(why: string, text: string): Diagnosis {
  return warning(`canary-${why}`, 'customerscannot', text);
}

/** The first sentence of "Estado": what the canary found last, whether or not a known cause explains it. */
export function canaryHeadline(
  canary: CanaryState,
): Pick<Diagnosis, 'text'> & { level?: Diagnosis['level'] } {
  const [diagnosis] = diagnoseCanary(canary);
  if (diagnosis) return diagnosis;
  const good = canary.report?.ways.filter(({ goodAgoMs }) => goodAgoMs !== undefined) ?? [];
  const agoMs = Math.max(...good.map(({ goodAgoMs = 0 }) => goodAgoMs));
  const tookMs = Math.max(...good.map(({ tookMs = 0 }) => tookMs));
  const by = good.length > 1 ? `, por ${count(good.length, 'entrada', 'entradas')}` : '';
  const when = `hace ${duration(agoMs)}, en ${duration(tookMs)}`;
  return { text: `El cliente de prueba hizo una guía y leyó su etiqueta ${when}${by}` };
}

/** Returns the steps of which a line tells: what does not succeed before what is late, and the most telling first. */
function firstOfEachAction(found: readonly Found[]): Step[] {
  const failing = STEPS.filter((step) => found.some((one) => one.step === step && !one.isLate));
  const late = STEPS.filter((step) => found.some((one) => one.step === step && one.isLate));
  const bad = [...new Set([...failing, ...late])];
  const actionOf = (step: Step) => STEP_ACTIONS[step] ?? step;
  return bad.filter((step, i) => bad.findIndex((other) => actionOf(other) === actionOf(step)) === i);
}

function diagnoseStep(step: Step, found: readonly Found[], waysCount: number): Diagnosis {
  const own = found.filter((one) => one.step === step);
  const failing = own.filter(({ isLate }) => !isLate);
  const told = failing.length > 0 ? failing : own;
  const [first] = told;
  const forms = told.flatMap(({ form }) => form || []);
  const what = forms.length > 0 ? `${STEP_WORDS[step]} ${forms.join(', ')}` : STEP_WORDS[step];
  const where = waysOf(
    told.flatMap(({ by }) => by ?? []),
    waysCount,
  );
  const since = duration(Math.max(...told.map(({ sinceMs }) => sinceMs)));
  const verb = failing.length > 0 ? 'no puede' : 'espera demasiado para';
  const text = `El cliente de prueba ${verb} ${what}${where} desde hace ${since}: ${first?.answer}`;
  const level = failing.length > 0 && step !== 'clock' ? grave : warning;
  const action = STEP_ACTIONS[step];
  const effects: Effect[] = action ? [action, `${action}-tried`] : [];
  return {
    ...level(`canary-${step}`, 'customerscannot', text),
    effectOn: ['api', ...effects, ...(MORE_EFFECTS[step] ?? [])],
  };
}

/** Names some of the ways in: ` por la api 10.1.2.3:3000`, ` por 2 de 3 entradas (…)`. */
function waysOf(some: readonly WayReport[], all: number): string {
  const [first] = some;
  if (!first) return '';
  if (some.length === 1) return ` por ${nameOf(first)}`;
  if (some.length === all) return ` por las ${number(all)} entradas`;
  const names = some.slice(0, MAX_NAMED).map(nameOf);
  const more = some.length > MAX_NAMED ? ['…'] : [];
  return ` por ${number(some.length)} de ${number(all)} entradas (${[...names, ...more].join(', ')})`;
}

function nameOf({ way, host }: WayReport): string {
  return way === 'customers' ? 'la dirección de los clientes' : `la api ${host}`;
}
