import { LRUCache } from 'lru-cache';
import type { GuidePrice, Parcel } from '#shared/guides/guide-price.ts';
import { toPesos } from '../platform/amounts.ts';
import { momentOf, zonedTime } from '../platform/local-time.ts';
import type { QuoteAnswer } from './schemas.ts';
import { TIME_OF_DAY } from './tariffs/cells.ts';
import type { NumberedTariff } from './tariffs/current-tariff.ts';
import { addDays, deliveryDays } from './tariffs/delivery-days.ts';
import { describeLines, type NoPrice, type Price, priceParcel } from './tariffs/price.ts';

/** A price that binds the carrier until it expires. `QuoteTokens` signs it as the text `Cotizacion`. */
export type Quote = Omit<Price, 'minDays' | 'maxDays'> & {
  /** The version of the tariff. */
  version: number;
  /** Codes of the branches. */
  origin: string;
  destination: string;
  parcel: Parcel;
  /** Dates as `YYYY-MM-DD`, if the parcel is received before a moment, in s since 1970. */
  delivery: { from: string; to: string; receivedBefore: number };
  /** The last second in which it binds, in s since 1970. */
  expires: number;
};

/** By which tariff a quote is made, for whom, and when: `now` is in ms since 1970. */
export type QuoteBasis = {
  tariff: NumberedTariff;
  account: string;
  now: number;
  /** Writes a moment as SEND_FECHA shows it. */
  localTime: (moment: Date) => string;
};
type WriteTime = QuoteBasis['localTime'];

/** Quotes a parcel. @param codes of the branches at both ends. */
export function quoteParcel(
  { tariff: { version, tariff }, account, now, localTime }: QuoteBasis,
  parcel: Parcel,
  codes: Pick<Quote, 'origin' | 'destination'>,
): Quote | NoPrice {
  const found = priceParcel(tariff, account, parcel);
  if ('reason' in found) return found;
  const { minDays, maxDays, ...price } = found;
  const text = localTime(new Date(now));
  const [date, minute] = [text.slice(0, 10), Number(text.slice(11, 13)) * 60 + Number(text.slice(14, 16))];
  const { from, to, received } = deliveryDays(tariff, { date, minute }, { minDays, maxDays });
  const seconds = secondsOf(localTime);
  const { cutoffMinute, validDays } = tariff.parameters;
  return {
    ...price,
    ...{ version, ...codes, parcel },
    delivery: { from, to, receivedBefore: seconds(`${received}T${TIME_OF_DAY.write(cutoffMinute)}:00`) },
    expires: seconds(`${addDays(date, validDays)}T23:59:59`),
  };
}

/** Returns whether a quote binds no more. `expires` is the last second in which it does, not the first after it. */
export function isExpired({ expires }: Quote, now: number): boolean {
  return Math.floor(now / 1_000) > expires;
}

/** Returns a quote as the wire has it, the option of one service. @param token of the quote. */
export function toOption(quote: Quote, token: string, localTime: WriteTime): QuoteAnswer['Opciones'][number] {
  return {
    TipoServicio: quote.parcel.service,
    Moneda: 'MXN',
    SEND_FLETE: toPesos(quote.freight),
    SEND_TOTAL: toPesos(quote.total),
    ...toPriceFields(quote, localTime),
    Cotizacion: token,
    Vence: zonedTime(localTime, quote.expires * 1_000),
  };
}

/** Returns what a customer sees of a quote beside its amounts. */
export function toPriceFields(quote: Quote, localTime: WriteTime): Required<GuidePrice['quote']> {
  const { version, list, zone, parcel, delivery } = quote;
  return {
    Conceptos: describeLines(quote, parcel.packages),
    Peso: {
      Real: parcel.grams / 1_000,
      Volumetrico: quote.volumetricGrams / 1_000,
      Cobrado: quote.billedGrams / 1_000,
      Paquetes: parcel.packages,
    },
    EntregaEstimada: {
      Desde: delivery.from,
      Hasta: delivery.to,
      SiSeRecibeAntesDe: zonedTime(localTime, delivery.receivedBefore * 1_000),
    },
    Tarifa: { Version: version, Lista: list, Zona: zone },
  };
}

/** The moments of a few days, which all quotes of a zone share. */
const MOMENTS = new WeakMap<WriteTime, LRUCache<string, number>>();

/** Returns a function that returns when a local second begins, in s since 1970. */
function secondsOf(localTime: WriteTime): (text: string) => number {
  const known = MOMENTS.get(localTime) ?? new LRUCache<string, number>({ max: 1_000 });
  MOMENTS.set(localTime, known);
  return (text) => {
    const moment = known.get(text) ?? momentOf(localTime, text) / 1_000;
    known.set(text, moment);
    return moment;
  };
}
