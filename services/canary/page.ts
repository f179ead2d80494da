import type { Step, Way } from '#shared/canary/report.ts';
import { pageKit } from '#shared/pages/page-kit.ts';
import type { Canary } from './rounds/canary.ts';
import type { Histories } from './rounds/history.ts';
import type { ShownRound, WayRounds } from './rounds/way-rounds.ts';

const kit = pageKit(new URL('views/', import.meta.url), ['pasos']);
const template = kit.page<ReturnType<typeof viewOf>>('rondas');

export const STYLE = kit.style('rondas.css');

const WAY_WORDS: Readonly<Record<Way, string>> = {
  customers: 'Dirección de los clientes',
  process: 'Proceso de la api',
};
const STEP_WORDS: Readonly<Record<Step, string>> = {
  create: 'Crear una guía',
  read: 'Leer la guía',
  repeat: 'Repetir la solicitud',
  print: 'Imprimir la etiqueta',
  label: 'Leer la etiqueta',
  quote: 'Cotizar',
  branch: 'Sucursales',
  'postal-code': 'Cobertura de un código postal',
  page: 'Página de rastreo',
  form: 'Otra etiqueta',
  life: 'Eventos hasta la entrega',
  webhook: 'Webhook',
  manifest: 'Manifiesto',
  cancel: 'Cancelar',
  login: 'Entrar',
  clock: 'Relojes',
};
const RESULT_WORDS = { ok: 'Bien', late: 'Tarde', failed: 'Falla' } as const;

/** Returns the page of the last rounds. It names no key, no guide and no person. */
export function roundsPage(canary: Canary): string {
  return template(viewOf(canary));
}

function viewOf(canary: Canary) {
  const { key, waiting } = canary.report();
  return {
    isRefused: key === 'refused',
    isLimited: key === 'limited',
    isWaiting: waiting !== undefined,
    lacksProcesses: canary.lacksProcesses,
    ways: canary.ways.map(wayView),
    series: stepViews(canary.series),
  };
}

function wayView(rounds: WayRounds) {
  const { way, host, goodAgoMs, tookMs, fault } = rounds.report();
  const words = fault
    ? `${STEP_WORDS[fault.step]}: ${fault.answer}, desde hace ${seconds(fault.sinceMs)}`
    : goodAgoMs === undefined
      ? 'Aún no termina bien ninguna ronda'
      : `Bien hace ${seconds(goodAgoMs)}, en ${seconds(tookMs ?? 0)}`;
  return {
    ...{ name: WAY_WORDS[way], host, words },
    look: fault ? 'failed' : goodAgoMs === undefined ? '' : 'ok',
    rounds: rounds.shown.map(roundView),
    steps: stepViews(rounds.histories),
  };
}

function roundView({ at, outcomes }: ShownRound) {
  const bad =
    outcomes.find(({ result }) => result === 'failed') ?? outcomes.find(({ result }) => result === 'late');
  const words = bad ? `${STEP_WORDS[bad.step]}: ${bad.answer}` : RESULT_WORDS.ok;
  return { look: bad?.result ?? 'ok', words: `${at.toISOString().slice(11, 19)} UTC · ${words}` };
}

function stepViews(histories: Histories) {
  return histories.lastOutcomes().map(({ step, form, result, ms, answer, at }) => ({
    name: [STEP_WORDS[step], form].filter(Boolean).join(': '),
    look: result,
    result: RESULT_WORDS[result],
    took: `${Math.round(ms)} ms`,
    ago: seconds(performance.now() - at),
    answer,
  }));
}

function seconds(ms: number): string {
  return ms < 10_000
    ? `${Math.round(ms / 100) / 10} s`
    : ms < 120_000
      ? `${Math.round(ms / 1_000)} s`
      : `${Math.round(ms / 60_000)} min`;
}
