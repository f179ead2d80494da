import type { Branch } from '#shared/branches/branch.ts';
import { type Contact, readContact } from '#shared/config/contact.ts';
import {
  type GuideStatus,
  hasWords,
  STATES,
  STEPS,
  type State,
  wordsOf,
} from '#shared/guides/event-types.ts';
import { isTestNumber } from '#shared/guides/guide.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import { zoneWords } from '#shared/pages/zone-words.ts';
import { phoneHref, phoneText } from '#shared/phones/phone.ts';
import { annulledBy, type EventBody, type LogEntry } from '#shared/tracking/event-model.ts';
import { REASONS } from '#shared/tracking/reasons.ts';
import type { ApiConfig } from '../../config.ts';
import type { PageProblem } from '../../http/public-pages/answers.ts';
import { arrivalWords, conditionWords } from '../../http/public-pages/arrival.ts';
import { publicPageKit } from '../../http/public-pages/page-frame.ts';
import { pesosText, toCentavos, toPesos } from '../../platform/amounts.ts';
import { localTimeFormatter } from '../../platform/local-time.ts';
import { GuideProgress } from '../guide-state.ts';
import type { PageLink } from '../page-links.ts';
import { byTime } from '../read-events.ts';
import { headlineOf, packageEvents, packagesSummary } from './state-words.ts';

type Line = { hour: string; words: string; details: string[] };
/** What is known of a guide. `cities` of branches by their codes; `pickUp`: the branch where it may be picked up. */
type Tracked = {
  guide: GuideDocument;
  entries: readonly LogEntry[];
  cities: ReadonlyMap<string, string>;
  pickUp: Branch | undefined;
  links?: readonly PageLink[];
};
/** Public fields of a guide: nothing about sender, recipient or addresses. */
type TrackingView = ReturnType<ReturnType<typeof trackingView>>;

/**
 * Returns a function that makes a guide's view, with times in a time zone.
 *
 * @param now in ms since 1970.
 * @param addition what is said after the title of a delivered guide with these events.
 */
export function trackingView(
  timeZone: string,
  now: () => number,
  addition: (told: readonly EventBody[]) => string = () => '',
) {
  const day = new Intl.DateTimeFormat('es-MX', { timeZone, weekday: 'long', day: 'numeric', month: 'long' });
  const hour = new Intl.DateTimeFormat('es-MX', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hour12: false,
  });
  const arrivalOf = expectedArrival(timeZone, now);

  return ({ guide, entries, cities, pickUp, links = [] }: Tracked) => {
    const packages = guide.guide.Producto.Paquetes ?? 1;
    const told = entries.toSorted(byTime).map((entry) => entry.told);
    const annulled = annulledBy(told);
    // Cancelled before the event log existed: only the guide has the date.
    const progress = new GuideProgress(told, packages);
    const status = told.length === 0 ? guide.status : progress.status;
    const events = packageEvents(progress, packages);
    const { isReady, ...headline } = headlineOf(status, events, guide, cities);
    const counting = told.filter(({ Id }) => !annulled.has(Id));
    const isOver = ['Entregado', 'Devuelto', 'Cancelado'].includes(status);
    const isNear = isReady || counting.some(({ Tipo }) => Tipo === 'EnReparto');
    const lines: { at: Date; line: Line }[] = [
      {
        at: guide.createdUtc,
        line: { hour: hour.format(guide.createdUtc), words: STATES.Documentado.title, details: [] },
      },
    ];
    for (const event of told) {
      const { Id, Ocurrido, Sucursal, Paquete, Motivo } = event;
      if (!hasWords(event) || annulled.has(Id)) continue;
      const at = new Date(Ocurrido);
      const details = [
        Motivo && REASONS[Motivo],
        Sucursal && cities.get(Sucursal),
        Paquete !== undefined && packages > 1 && `Paquete ${Paquete} de ${packages}`,
      ].filter((text) => typeof text === 'string');
      const { title, event: words = title } = wordsOf(event, guide);
      lines.push({ at, line: { hour: hour.format(at), words, details } });
    }
    const days = Map.groupBy(lines.toReversed(), ({ at }) => day.format(at));
    return {
      number: guide._id,
      isTest: isTestNumber(guide._id),
      ...headline,
      title: status === 'Entregado' ? headline.title + addition(told) : headline.title,
      links,
      packages: packagesSummary(events, guide, cities),
      pickUp: isReady && pickUp ? placeOf(pickUp) : null,
      arrival: isReady ? null : arrivalOf(guide, status, lines[1]?.at),
      toPay: isNear && !isOver ? toPay(guide, counting) : null,
      steps: stepsOf(headline),
      days: [...days].map(([name, of]) => ({ name, lines: of.map(({ line }) => line) })),
      zone: zoneWords(timeZone),
    };
  };
}

/**
 * Returns a function that says on which days a guide's parcel arrives, by its quote. It returns null once the parcel has
 * arrived, while something is wrong with it, and when the days no longer hold. They no longer hold if the last one is
 * over, or if the parcel was received too late.
 */
function expectedArrival(timeZone: string, now: () => number) {
  const localTime = localTimeFormatter(timeZone);
  /** @param received when the parcel's first event occurred, if it has one. */
  return ({ quote }: GuideDocument, status: GuideStatus, received: Date | undefined): string | null => {
    const estimate = quote?.EntregaEstimada;
    if (!estimate || STATES[status].look !== 'normal') return null;
    const moment = new Date(now());
    const isLate = localTime(moment).slice(0, 10) > estimate.Hasta;
    const isInTime = (received ?? moment) < new Date(estimate.SiSeRecibeAntesDe);
    if (isLate || !isInTime) return null;
    const words = arrivalWords(estimate);
    return received ? words : `${words}, ${conditionWords(estimate.SiSeRecibeAntesDe)}`;
  };
}

const MEANS: Readonly<Record<string, string>> = { efectivo: 'en efectivo', tarjeta: 'con tarjeta' };
const EITHER = new Intl.ListFormat('es-MX', { type: 'disjunction' });

/** Says what a person has to pay, and with what; null if nothing is left to be paid. */
function toPay({ guide: { Cobro } }: GuideDocument, told: readonly EventBody[]): string | null {
  if (!Cobro) return null;
  const taken = told.reduce((sum, { Cobrado }) => sum + toCentavos(Cobrado?.Monto ?? 0), 0);
  const left = toCentavos(Cobro.Monto) - taken;
  if (left <= 0) return null;
  const means = (Cobro.Medios ?? []).map((each) => MEANS[each] ?? each);
  const how = means.length > 0 ? ` ${EITHER.format(means)}` : '';
  return `Tenga listo ${pesosText(toPesos(left))}${how}.`;
}

/** Returns what a person needs to find a branch. */
export function placeOf({ Nombre, Telefono, Horario, ...branch }: Branch) {
  const { Calle, Numero, Colonia, CodigoPostal, Municipio, Estado } = branch;
  const words = (separator: string, ...parts: string[]) => parts.filter(Boolean).join(separator);
  const street = words(' ', Calle, Numero);
  const town = words(' ', CodigoPostal, Municipio);
  return {
    name: Nombre,
    address: words(', ', street, Colonia, town, Estado),
    phone: Telefono && { text: phoneText(Telefono), href: phoneHref(Telefono) },
    hours: Horario ?? '',
  };
}

/** Returns the steps of a guide's way, and the current one. */
function stepsOf({ title, step }: State): { name: string; state: 'antes' | 'ahora' | 'luego' }[] {
  if (step === null) return [];
  const now = STEPS.indexOf(step);
  return STEPS.map((name, i) => ({
    name: i === now ? title : name,
    state: i < now ? 'antes' : i === now ? 'ahora' : 'luego',
  }));
}

/** The carrier as every page names it, with the words before its contact. */
type CarrierView = { carrier: string; contact: (Contact & { words: string }) | null };
const CONTACT_WORDS: Readonly<Record<Contact['kind'], string>> = {
  phone: 'Llame al',
  email: 'Escriba a',
  page: 'Visite',
};

export function carrierOf({
  CARRIER_NAME: carrier,
  CARRIER_CONTACT,
}: Pick<ApiConfig, 'CARRIER_NAME' | 'CARRIER_CONTACT'>): CarrierView {
  const contact = CARRIER_CONTACT === undefined ? null : readContact(CARRIER_CONTACT);
  return { carrier, contact: contact && { ...contact, words: CONTACT_WORDS[contact.kind] } };
}

export const STYLE_PATH = '/rastreo/rastreo.css';
const kit = publicPageKit(new URL('views/', import.meta.url), STYLE_PATH, ['formulario', 'contacto']);

export const STYLE = kit.style('rastreo.css');
export const formPage = kit.page<CarrierView>('buscar');
export const guidePage = kit.page<CarrierView & TrackingView>('guia');
export const problemPage = kit.page<CarrierView & PageProblem>('problema');
