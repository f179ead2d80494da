import { picturePath } from '#shared/evidence/evidence.ts';
import { hasWords, STATES, type State, wordsOf } from '#shared/guides/event-types.ts';
import { isTestNumber } from '#shared/guides/guide.ts';
import { NO_PRICE_WORDS } from '#shared/guides/guide-price.ts';
import { count, type WriteMoment } from '#shared/pages/format.ts';
import { numberOf } from '#shared/stores/numbered-log.ts';
import { annulledBy, PERSONAL_FIELDS } from '#shared/tracking/event-model.ts';
import { REASONS } from '#shared/tracking/reasons.ts';
import type { WebhookHealth } from '#shared/webhooks/webhook-health.ts';
import { type GuidePersons, MAX_EVENTS, type VisibleEntry, type VisibleGuide } from './guide-reader.ts';
import { healthView } from './webhooks-view.ts';

const PESOS = new Intl.NumberFormat('es-MX', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

export function guideView({ _id: number, ...guide }: VisibleGuide, write: WriteMoment) {
  const { Referencia, Producto, Cobro } = guide.guide;
  const services = { Domicilio: 'a domicilio', 'the service': 'recoge en sucursal' };
  return {
    guia: number,
    account: guide.account,
    isTest: isTestNumber(number),
    isAnonymised: guide.anonymised !== undefined,
    status: guide.status,
    created: write(guide.createdUtc),
    reference: Referencia ?? null,
    service: services[guide.service],
    origin: guide.origin,
    destination: guide.destination,
    packages: Producto?.Paquetes ?? 1,
    collected: Cobro ? pesos(Cobro.Monto) : null,
    facts: Object.entries(guide.facts ?? {}).map(([name, fact]) => ({
      name,
      fact: fact === true ? 'sí' : fact,
    })),
  };
}

/**
 * Says what a guide costs by its quote, or what the bill has of one without a quote.
 * @param entries the last registered one first: weighings change what a guide without a quote costs.
 */
export function priceWords(
  { status, quote, total, unquoted }: VisibleGuide,
  entries: readonly VisibleEntry[],
): string {
  if (quote) return `Se cotizó en ${pesos(total)}, ${versionWords(quote.Tarifa.Version)}`;
  const free = 'No se cotizó: responde 0';
  if (status === 'Cancelado') return `${free}. Se canceló: no se cobra`;
  const price = entries.find((entry) => entry.unquoted)?.unquoted ?? unquoted;
  if (!price) return `${free}. Es de antes de 1.9.0, que no guardaba lo que costaría`;
  const version = price.version === undefined ? '' : `, ${versionWords(price.version)}`;
  if ('total' in price) return `${free}. Se cobra aparte: ${pesos(price.total / 100)}${version}`;
  return `${free}. No tiene precio: ${NO_PRICE_WORDS[price.noPrice]}${version}`;
}

function versionWords(version: number): string {
  return `según la versión ${version} de la tarifa`;
}

/** Writes an amount in MXN as `$1,500.00`. */
function pesos(amount: number): string {
  return `$${PESOS.format(amount)}`;
}

/** Returns the state of a guide in the words of the tracking page; a state of a later release has no words yet. */
export function stateView(guide: VisibleGuide, entries: readonly VisibleEntry[]) {
  const events = entries.map(({ told }) => told);
  const annulled = annulledBy(events);
  const last = events.filter(hasWords).find(({ Tipo, Id }) => Tipo === guide.status && !annulled.has(Id));
  const state: State | undefined = last ? wordsOf(last, guide) : STATES[guide.status];
  return { title: state?.title ?? guide.status, look: state?.look ?? 'normal', status: guide.status };
}

export function eventViews(guide: VisibleGuide, entries: readonly VisibleEntry[], write: WriteMoment) {
  const annulled = annulledBy(entries.map(({ told }) => told));
  return {
    isCut: entries.length === MAX_EVENTS,
    limit: MAX_EVENTS,
    events: entries.map(({ told, registered }) => ({
      type: told.Tipo,
      words: eventWords(told, guide),
      id: told.Id,
      occurred: write(new Date(told.Ocurrido)),
      registered: write(registered),
      place: told.Sucursal ?? null,
      package: told.Paquete ?? null,
      reason: told.Motivo ? REASONS[told.Motivo] : null,
      isAnnulled: annulled.has(told.Id),
    })),
  };
}

/** Returns the pictures of a guide's events, with where the api gives them: the dashboard has no access to them. */
export function pictureViews(guide: string, entries: readonly VisibleEntry[], write: WriteMoment) {
  const events = entries.map(({ told }) => told);
  const annulled = annulledBy(events);
  return events.flatMap(({ Tipo, De, Imagen }) => {
    if (Tipo !== 'Evidencia' || De === undefined || Imagen === undefined) return [];
    const of = events.find(({ Id }) => Id === De);
    return {
      picture: Imagen,
      event: of ? `${of.Tipo} de ${write(new Date(of.Ocurrido))}` : De,
      isAnnulled: annulled.has(De),
      path: picturePath(guide, De, Imagen),
    };
  });
}

function eventWords(told: VisibleEntry['told'], guide: VisibleGuide): string {
  if (hasWords(told)) {
    const { title, event = title } = wordsOf(told, guide);
    return told.Cobrado ? `${event}, cobró ${pesos(told.Cobrado.Monto)} (${told.Cobrado.Medio})` : event;
  }
  if (told.Tipo === 'Anulacion') return `Anula el evento ${told.Anula}`;
  if (told.Tipo === 'Evidencia') return `Imagen ${told.Imagen} del evento ${told.De}`;
  return told.Tipo === 'Pesaje' ? `Pesó ${told.Peso} kg` : told.Tipo;
}

/** Returns how each webhook is, and which of a guide's events it has. */
export function webhookViews(
  webhooks: readonly WebhookHealth[],
  entries: readonly VisibleEntry[],
  write: WriteMoment,
) {
  return webhooks.map((webhook) => ({
    ...healthView(webhook, write),
    delivered: deliveryWords(webhook, entries, write),
  }));
}

/** Says of a guide's events which a webhook has taken, and which it waits for, by its cursor and its present filter. */
function deliveryWords(
  { cursor, types, createdAt }: Pick<WebhookHealth, 'cursor' | 'types' | 'createdAt'>,
  entries: readonly VisibleEntry[],
  write: WriteMoment,
): string[] {
  if (entries.length === 0) return ['La guía no tiene eventos'];
  const isWanted = ({ told }: VisibleEntry) => !types || types.includes(told.Tipo);
  const wanted = entries.filter(isWanted);
  const isBefore = ({ registered }: VisibleEntry) => registered < createdAt;
  const isWaiting = ({ _id }: VisibleEntry) => numberOf(_id) > cursor;
  const waiting = wanted.filter((entry) => isWaiting(entry));
  const before = wanted.filter((entry) => !isWaiting(entry) && isBefore(entry)).length;
  const taken = wanted.length - waiting.length - before;
  const left = entries.length - wanted.length;
  const names = waiting.map(({ told }) => told.Tipo).toReversed();
  const first = waiting.at(-1);
  return [
    ...(first ? [`Falta: ${names.join(', ')}, desde ${write(first.registered)}`] : []),
    ...(taken > 0 ? [`Ya tiene ${count(taken, 'evento', 'eventos')}`] : []),
    ...(before > 0 ? [`${count(before, 'evento es anterior', 'eventos son anteriores')} al webhook`] : []),
    ...(left > 0 ? [`Su filtro no pide ${count(left, 'evento', 'eventos')}`] : []),
  ];
}

/** Returns what names persons, by part of the guide, in the names of the wire. */
export function personsView({ guide, entries }: GuidePersons, write: WriteMoment) {
  const parts = Object.entries(guide).map(([name, fields]) => ({
    name: name.replaceAll('_', ' '),
    fields: Object.entries(fields).map(([field, value]) => ({ field: field.replaceAll('_', ' '), value })),
  }));
  return {
    parts: parts.filter(({ fields }) => fields.length > 0),
    eventFields: PERSONAL_FIELDS,
    events: entries.map(({ told }) => ({
      type: told.Tipo,
      occurred: write(new Date(told.Ocurrido)),
      fields: PERSONAL_FIELDS.map((field) => ({ field, value: told[field] ?? null })),
    })),
  };
}
