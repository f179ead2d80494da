import type { Connection } from 'mongoose';
import { isTestNumber } from '#shared/guides/guide.ts';
import { GUIDES, type GuideDocument } from '#shared/guides/guide-model.ts';
import { modelOf } from '#shared/stores/collection.ts';
import { EVENTS, type LogEntry, USAGE_TYPES } from '#shared/tracking/event-model.ts';
import { toCentavos } from '../platform/amounts.ts';
import { addTo, type Figures, type Usage } from './figures.ts';
import type { LogRange } from './log-range.ts';
import type { Period } from './months.ts';
import {
  BILLED_FIELDS,
  type BilledFields,
  billedAtCreation,
  figuresOfChange,
  figuresOfGuide,
  type PriceChange,
} from './unquoted.ts';
import type { ReadOptions } from './usage-options.ts';

/** Entries of one query. */
const ENTRIES_AT_A_TIME = 500;
/** An entry's number with the blank before it. */
const NUMBER_LENGTH = 13;
/** A failover takes back nothing that a majority of the servers has. */
const MAJORITY = 'majority';

type CountedEntry = Pick<LogEntry, '_id' | 'status' | 'version' | 'registered' | 'unquoted'> & {
  told: Pick<LogEntry['told'], 'Guia' | 'Tipo'>;
  adjustment?: { Diferencia?: number; SinPrecio?: string };
};
type BilledGuide = Pick<GuideDocument, '_id' | 'account' | 'createdFor' | 'total'> & BilledFields;
/** An entry of the month, with what the guide was before it. `weighed`: the last entry before it with a price. */
type Change = { entry: CountedEntry; before?: CountedEntry; weighed?: CountedEntry };
const FIELDS = {
  ...{ 'told.Guia': 1, 'told.Tipo': 1, status: 1, version: 1, registered: 1 },
  ...{ 'adjustment.Diferencia': 1, 'adjustment.SinPrecio': 1, unquoted: 1 },
} as const;

/**
 * Adds guides that are billed by their first event, and what entries that were registered in the period changed, against the
 * guide's entry before it. Such a change is a fact for ever, so that later events change later months alone. It counts for the
 * account for which the guide was created, as the guide does, whatever account it was moved to: otherwise one account would
 * pay for what another gets back.
 */
export async function countEvents(
  mongo: Connection,
  period: Period,
  { test, account, canaries, range, byDay, withoutTariff, onProgress }: ReadOptions,
  usage: Usage,
): Promise<void> {
  const keyOf = (payer: string, { registered }: CountedEntry) =>
    byDay ? byDay(registered).slice(0, 10) : payer;
  // While a guide is moved, the logs of both accounts may have its first event.
  const counted = new Set<string>();
  for await (const page of entriesOf(mongo, period, range, { billed: true })) {
    const guides = await guidesOf(mongo, page);
    for (const entry of page.filter(({ told }) => isTestNumber(told.Guia) === test)) {
      const guide = guides.get(entry.told.Guia);
      const payer = payerOf(entry, guides);
      if (!guide || (account !== undefined && payer !== account) || canaries.has(payer)) continue;
      if (counted.has(guide._id)) continue;
      counted.add(guide._id);
      const price = billedAtCreation(guide);
      addTo(usage, keyOf(payer, entry), figuresOfGuide(guide.total, price));
      if (price) withoutTariff?.add(payer, guide._id, { after: price });
    }
  }
  let seen = 0;
  for await (const page of entriesOf(mongo, period, range, { 'told.Tipo': { $in: [...USAGE_TYPES] } })) {
    const entries = page.filter(({ told }) => isTestNumber(told.Guia) === test);
    const guides = await guidesOf(mongo, entries);
    const billed = entries.filter((entry) => {
      const payer = payerOf(entry, guides);
      return (account === undefined || payer === account) && !canaries.has(payer);
    });
    for (const change of await changesOf(mongo, billed)) {
      const { Guia } = change.entry.told;
      const [payer, guide] = [payerOf(change.entry, guides), guides.get(Guia)];
      const price = priceChange(change, guide);
      addTo(usage, keyOf(payer, change.entry), { ...figuresOf(change, guide), ...figuresOfChange(price) });
      withoutTariff?.add(payer, Guia, price);
    }
    seen += page.length;
    onProgress?.(`Eventos leidos: ${seen}`);
  }
}

/** A guide of a test account may be gone before its entry; then it is the account of the log. */
function payerOf({ _id, told }: CountedEntry, guides: ReadonlyMap<string, BilledGuide>): string {
  const guide = guides.get(told.Guia);
  return guide ? (guide.createdFor ?? guide.account) : _id.slice(0, -NUMBER_LENGTH);
}

function figuresOf({ entry, before, weighed }: Change, guide: BilledGuide | undefined): Partial<Figures> {
  const { told, status, adjustment } = entry;
  // Cancelled before its first event, it was never billed.
  if (told.Tipo === 'Cancelacion' && guide?.billed) return {};
  if (told.Tipo === 'Cancelacion') return { cancelled: 1, cancelledTotal: toCentavos(guide?.total ?? 0) };
  const delivered = Number(status === 'Entregado') - Number(before?.status === 'Entregado');
  if (!adjustment) return { delivered };
  return {
    delivered,
    adjustments: differenceOf(entry) - differenceOf(weighed),
    unpriced: hasNoPrice(entry) - hasNoPrice(weighed),
  };
}

/** Returns what an entry changes in the price of a guide without a quote; nothing of another, or of one that is gone. */
function priceChange({ entry, weighed }: Change, guide: BilledGuide | undefined): PriceChange {
  const created = guide && billedAtCreation(guide);
  if (!created || (guide.billed && entry.told.Tipo === 'Cancelacion')) return {};
  const before = weighed?.unquoted ?? created;
  return entry.told.Tipo === 'Cancelacion' ? { before } : { before, after: entry.unquoted ?? before };
}

/** In centavos. */
function differenceOf(entry: CountedEntry | undefined): number {
  return toCentavos(entry?.adjustment?.Diferencia ?? 0);
}

function hasNoPrice(entry: CountedEntry | undefined): number {
  return Number(entry?.adjustment?.SinPrecio !== undefined);
}

/**
 * Reads entries of the period, a page at a time: those of one log by their numbers, others in the order in which they were
 * registered.
 *
 * @param which has an index with the time.
 */
async function* entriesOf(
  mongo: Connection,
  { from, to }: Period,
  range: LogRange | undefined,
  which: { billed: true } | { 'told.Tipo': { $in: LogEntry['told']['Tipo'][] } },
): AsyncGenerator<CountedEntry[]> {
  const byTime = {
    ...('billed' in which && { billed: 1 as const }),
    registered: 1 as const,
    _id: 1 as const,
  };
  for (let last: CountedEntry | undefined; ; ) {
    const rest = range
      ? { _id: { ...range, ...(last && { $gt: last._id }) } }
      : last && {
          registered: { $gte: last.registered, $lt: to },
          $or: [{ registered: { $gt: last.registered } }, { _id: { $gt: last._id } }],
        };
    const page: CountedEntry[] = await modelOf(mongo, EVENTS)
      .find({
        registered: { $gte: from, $lt: to },
        ...which,
        ...rest,
      })
      .readConcern(MAJORITY)
      .select<CountedEntry>(FIELDS)
      .sort(range ? { _id: 1 } : byTime)
      .limit(ENTRIES_AT_A_TIME)
      .lean();
    if (page.length > 0) yield page;
    if (page.length < ENTRIES_AT_A_TIME) return;
    last = page.at(-1);
  }
}

/** Returns entries with their guides' entries before them, as far as there are any. */
async function changesOf(mongo: Connection, entries: readonly CountedEntry[]): Promise<Change[]> {
  const changes: Change[] = entries.map((entry) => ({ entry }));
  const later = changes.filter(({ entry }) => entry.version > 1);
  if (later.length === 0) return changes;
  const byGuide = Map.groupBy(later, ({ entry }) => entry.told.Guia);
  // One by one: a guide may have thousands.
  const earlier = modelOf(mongo, EVENTS)
    .find({ 'told.Guia': { $in: [...byGuide.keys()] } })
    .readConcern(MAJORITY)
    .select<CountedEntry>(FIELDS)
    .sort({ 'told.Guia': 1, _id: 1 })
    .lean()
    .cursor({ batchSize: ENTRIES_AT_A_TIME });
  for await (const entry of earlier)
    for (const change of byGuide.get(entry.told.Guia) ?? []) setBefore(change, entry as CountedEntry);
  return changes;
}

/** Versions have gaps where a guide was moved to another account meanwhile. */
function setBefore(change: Change, entry: CountedEntry): void {
  const { version } = entry;
  if (version >= change.entry.version) return;
  if (version > (change.before?.version ?? 0)) change.before = entry;
  const hasPrice = Boolean(entry.adjustment ?? entry.unquoted);
  if (hasPrice && version > (change.weighed?.version ?? 0)) change.weighed = entry;
}

async function guidesOf(
  mongo: Connection,
  entries: readonly CountedEntry[],
): Promise<Map<string, BilledGuide>> {
  if (entries.length === 0) return new Map();
  const found = await modelOf(mongo, GUIDES)
    .find({ _id: { $in: [...new Set(entries.map(({ told }) => told.Guia))] } })
    .select<BilledGuide>({ account: 1, createdFor: 1, total: 1, ...BILLED_FIELDS })
    .sort({ _id: 1 })
    .lean();
  return new Map(found.map((guide) => [guide._id, guide]));
}
