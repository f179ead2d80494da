import { REASONS } from '#shared/contracts/event.ts';
import { type GuideStatus, STATES, STEPS } from '#shared/contracts/event-types.ts';
import { isTestNumber } from '#shared/contracts/guide.ts';
import type { LogEntry } from '#shared/stores/event-model.ts';
import { annulledBy, guideState } from '../guides/events/guide-state.ts';
import { byTime } from '../guides/events/read-events.ts';
import type { GuideRecord } from '../guides/guide-model.ts';
import { localTimeFormatter } from '../local-time.ts';
import type { PageProblem } from '../public-pages/answers.ts';
import { arrivalWords, conditionWords } from '../public-pages/arrival.ts';
import { publicPageKit } from '../public-pages/page-frame.ts';

type Line = { hour: string; words: string; details: string[] };
/** Public fields of a guide: nothing about sender, recipient or addresses. */
type TrackingView = ReturnType<ReturnType<typeof trackingView>>;

/** Returns a function that makes a guide's view, with times in a time zone. */
export function trackingView(timeZone: string) {
  const day = new Intl.DateTimeFormat('es-MX', { timeZone, weekday: 'long', day: 'numeric', month: 'long' });
  const hour = new Intl.DateTimeFormat('es-MX', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hour12: false,
  });
  const zone = new Intl.DateTimeFormat('es-MX', { timeZone, timeZoneName: 'long' });
  const arrivalOf = expectedArrival(timeZone);

  /** @param cities of branches, by their codes. */
  return (guide: GuideRecord, entries: readonly LogEntry[], cities: ReadonlyMap<string, string>) => {
    const packages = guide.guide.Producto.Paquetes ?? 1;
    const told = entries.toSorted(byTime).map((entry) => entry.told);
    const annulled = annulledBy(told);
    // Cancelled before the event log existed: only the guide has the date.
    const status = told.length === 0 ? guide.status : guideState(told, packages);
    const lines: { at: Date; line: Line }[] = [
      {
        at: guide.createdUtc,
        line: { hour: hour.format(guide.createdUtc), words: STATES.Documentado.title, details: [] },
      },
    ];
    for (const { Id, Tipo, Ocurrido, Sucursal, Paquete, Motivo } of told) {
      if (Tipo === 'Anulacion' || annulled.has(Id)) continue;
      const at = new Date(Ocurrido);
      const details = [
        Motivo && REASONS[Motivo],
        Sucursal && cities.get(Sucursal),
        Paquete !== undefined && packages > 1 && `Paquete ${Paquete} de ${packages}`,
      ].filter((text) => typeof text === 'string');
      const { title, event = title } = STATES[Tipo === 'Cancelacion' ? 'Cancelado' : Tipo];
      lines.push({ at, line: { hour: hour.format(at), words: event, details } });
    }
    const days = Map.groupBy(lines.toReversed(), ({ at }) => day.format(at));
    return {
      number: guide.number,
      isTest: isTestNumber(guide.number),
      ...STATES[status],
      arrival: arrivalOf(guide, status, lines[1]?.at),
      steps: stepsOf(status),
      days: [...days].map(([name, of]) => ({ name, lines: of.map(({ line }) => line) })),
      zone: zone.formatToParts(new Date()).find(({ type }) => type === 'timeZoneName')?.value ?? timeZone,
    };
  };
}

/** States in which a parcel is still to arrive. */
const EXPECTED: ReadonlySet<GuideStatus> = new Set(['Documentado', 'Recolectado', 'EnTransito', 'EnReparto']);

/**
 * Returns a function that says on which days a guide's parcel arrives, by its quote. It says nothing (null) once the parcel has
 * arrived, while something is wrong with it, and when the days no longer hold: the last one is over, or the parcel was
 * received too late for them.
 */
function expectedArrival(timeZone: string) {
  const localTime = localTimeFormatter(timeZone);
  /** @param received when the parcel's first event occurred, if it has one. */
  return ({ quote }: GuideRecord, status: GuideStatus, received: Date | undefined): string | null => {
    const estimate = quote?.EntregaEstimada;
    if (!estimate || !EXPECTED.has(status)) return null;
    const now = new Date();
    const isLate = localTime(now).slice(0, 10) > estimate.Hasta;
    const isInTime = (received ?? now) < new Date(estimate.SiSeRecibeAntesDe);
    if (isLate || !isInTime) return null;
    const words = arrivalWords(estimate);
    return received ? words : `${words}, ${conditionWords(estimate.SiSeRecibeAntesDe)}`;
  };
}

/** Returns the steps of a guide's way, and the current one. */
function stepsOf(status: GuideStatus): { name: string; state: 'antes' | 'ahora' | 'luego' }[] {
  const { title, step } = STATES[status];
  if (step === null) return [];
  const now = STEPS.indexOf(step);
  return STEPS.map((name, i) => ({
    name: i === now ? title : name,
    state: i < now ? 'antes' : i === now ? 'ahora' : 'luego',
  }));
}

export const STYLE_PATH = '/rastreo/rastreo.css';
const kit = publicPageKit(new URL('views/', import.meta.url), STYLE_PATH, ['formulario']);

export const STYLE = kit.style('rastreo.css');
export const formPage = kit.page<object>('buscar');
export const guidePage = kit.page<TrackingView>('guia');
export const problemPage = kit.page<PageProblem>('problema');
