import type { Step, Way } from '#shared/canary/report.ts';
import { STEP_WORDS } from '#shared/canary/step-words.ts';
import { duration } from '#shared/pages/format.ts';
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
    checks: stepViews(canary.checks),
  };
}

function wayView(rounds: WayRounds) {
  const { way, host, goodAgoMs, tookMs, fault } = rounds.report();
  const words = fault
    ? `${wordsOf(fault.step)}: ${fault.answer}, desde hace ${duration(fault.sinceMs)}`
    : goodAgoMs === undefined
      ? 'Aún no termina bien ninguna ronda'
      : `Bien hace ${duration(goodAgoMs)}, en ${duration(tookMs ?? 0)}`;
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
  const words = bad ? `${wordsOf(bad.step)}: ${bad.answer}` : RESULT_WORDS.ok;
  return { look: bad?.result ?? 'ok', words: `${at.toISOString().slice(11, 19)} UTC · ${words}` };
}

function wordsOf(step: Step): string {
  const words = STEP_WORDS[step];
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function stepViews(histories: Histories) {
  return histories.lastOutcomes().map(({ step, form, result, ms, answer, at }) => ({
    name: [wordsOf(step), form].filter(Boolean).join(': '),
    look: result,
    result: RESULT_WORDS[result],
    took: duration(ms),
    ago: duration(performance.now() - at),
    answer,
  }));
}
