import { LRUCache } from 'lru-cache';
import type { Parcel } from '#shared/guides/quoted-price.ts';
import { momentOf } from '../platform/local-time.ts';
import type { Offer } from './offer.ts';
import type { NumberedTariff } from './tariffs/current-tariff.ts';
import { addDays, deliveryDays } from './tariffs/delivery-days.ts';
import { type NoPrice, priceParcel } from './tariffs/price.ts';

/** By which tariff an offer is made, to whom, and when: `now` is in ms since 1970. */
export type Pricing = {
  tariff: NumberedTariff;
  account: string;
  now: number;
  /** Writes a moment as SEND_FECHA shows it. */
  localTime: (moment: Date) => string;
};

/** Makes the offer for a parcel. @param codes of the branches at both ends. */
export function makeOffer(
  { tariff: { version, tariff }, account, now, localTime }: Pricing,
  parcel: Parcel,
  codes: Pick<Offer, 'origin' | 'destination'>,
): Offer | NoPrice {
  const price = priceParcel(tariff, account, parcel);
  if ('reason' in price) return price;
  const { list, zone, lines, billedGrams, volumetricGrams } = price;
  const text = localTime(new Date(now));
  const [date, minute] = [text.slice(0, 10), Number(text.slice(11, 13)) * 60 + Number(text.slice(14, 16))];
  const { from, to, received } = deliveryDays(tariff, { date, minute }, price);
  const seconds = secondsOf(localTime);
  const { cutoffMinute, validDays } = tariff.parameters;
  return {
    tariff: { version, list, zone },
    ...codes,
    ...{ parcel, lines, billedGrams, volumetricGrams },
    delivery: { from, to, receivedBefore: seconds(`${received}T${timeOf(cutoffMinute)}`) },
    expires: seconds(`${addDays(date, validDays)}T23:59:59`),
  };
}

/** The moments of a few days, which all offers of a zone share. */
const MOMENTS = new WeakMap<Pricing['localTime'], LRUCache<string, number>>();

/** Returns a function that returns when a local second begins, in s since 1970. */
function secondsOf(localTime: Pricing['localTime']): (text: string) => number {
  const known = MOMENTS.get(localTime) ?? new LRUCache<string, number>({ max: 1_000 });
  MOMENTS.set(localTime, known);
  return (text) => {
    const moment = known.get(text) ?? momentOf(localTime, text) / 1_000;
    known.set(text, moment);
    return moment;
  };
}

/** Writes a minute of the day as `17:00:00`. */
function timeOf(minute: number): string {
  const two = (number: number) => `${number}`.padStart(2, '0');
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}:00`;
}
