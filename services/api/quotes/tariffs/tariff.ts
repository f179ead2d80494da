import type { ServiceType } from '#shared/guides/guide.ts';
import type { Parcel } from '#shared/guides/guide-price.ts';
import { formatPesos } from '../../platform/amounts.ts';
import type { PostalRanges } from './postal-ranges.ts';

/**
 * A tariff: what one version of the CSV files says, in integers. Money is in centavos, weight in grams, length in
 * millimetres, percentages are in hundredths of a percent. `line` is the line of the file, from 1.
 */
export type Tariff = {
  parameters: Parameters;
  /** The group of a postal code (zonas.csv). */
  groups: PostalRanges;
  /** By `routeKey`. */
  routes: ReadonlyMap<string, Route>;
  /** By `priceKey`. */
  prices: ReadonlyMap<string, PriceBreaks>;
  surcharges: readonly Surcharge[];
  /** By name: the postal codes of an area (areas.csv). */
  areas: ReadonlyMap<string, PostalRanges>;
  /** By account. */
  contracts: ReadonlyMap<string, Contract>;
  /** The line of each day without delivery, as `YYYY-MM-DD`. */
  holidays: ReadonlyMap<string, number>;
  examples: readonly Example[];
};

export type Parameters = {
  /** Cubic centimetres that count as a kilogram. */
  divisor: number;
  /** Weights are billed in steps of so many grams. */
  stepGrams: number;
  maxGrams: number;
  /** Longest side of a package. */
  maxMillimetres: number;
  vat: number;
  /** Of guides with both ends in the area `frontera`; the same as `vat` unless the file says otherwise. */
  borderVat: number;
  /** Days that a quote binds, after its own. */
  validDays: number;
  /** Parcels received before this minute of a day begin to count that day. */
  cutoffMinute: number;
  /** Whether Saturdays are working days. */
  saturday: boolean;
};

/** Working days that a parcel takes. */
export type Route = {
  from: string;
  to: string;
  zone: string;
  minDays: number;
  maxDays: number;
  line: number;
};
/** The prices of one list, service, type and zone. */
export type PriceBreaks = {
  list: string;
  service: ServiceType;
  type: string;
  zone: string;
  /** By ascending weight. */
  breaks: Break[];
};
/** The price of weights up to and with `upToGrams`. `extra`: of each step beyond, on the last break alone. */
export type Break = { upToGrams: number; price: number; extra?: number; line: number };

/** Names the prices of a zone, or one of them, in reports to the pricing staff. */
export function priceName(
  { list, service, type, zone }: Omit<PriceBreaks, 'breaks'>,
  upToGrams?: number,
): string {
  const weight = upToGrams === undefined ? [] : [`${upToGrams / 1_000} kg`];
  return [list, service, ...(type ? [type] : []), `zona ${zone}`, ...weight].join(', ');
}

/** The measures of a parcel above which a surcharge may apply. `write`: a limit as the tariff's files have it. */
export const SURCHARGED_MEASURES = {
  lado: { of: ({ sides }: Parcel) => sides[2], write: (millimetres: number) => `${millimetres / 10}` },
  peso: { of: ({ grams }: Parcel) => grams, write: (grams: number) => `${grams / 1_000}` },
  declarado: { of: ({ declared }: Parcel) => declared, write: formatPesos },
} as const;
export type SurchargedMeasure = keyof typeof SURCHARGED_MEASURES;

export type Surcharge = {
  name: string;
  applies: 'siempre' | SurchargedMeasure | { area: string };
  /** A measure applies above it: millimetres, grams, centavos. */
  above: number;
  amount: number;
  percentage: number;
  base: 'flete' | 'subtotal' | 'declarado';
  minimum: number;
  perPackage: boolean;
  /** Working days that it adds. */
  days: number;
  line: number;
};

/** An account's list and its discount on freight. */
export type Contract = { list: string; discount: number; line: number };
export const PUBLIC_LIST = 'publica';
/** Guides with both ends in this area have the border's VAT. */
export const BORDER_AREA = 'frontera';

/** A price that somebody worked out by hand. The parcel's origin may also be the code of a branch. */
export type Example = { account: string; parcel: Parcel; total: number; line: number };

export function routeKey(origin: string, destination: string): string {
  return `${origin}|${destination}`;
}

/** @param type is compared without case; empty is the price of any. */
export function priceKey(list: string, service: ServiceType, type: string, zone: string): string {
  return `${list}|${service}|${type.toLowerCase()}|${zone}`;
}

/** Returns an account's list and discount. */
export function contractOf({ contracts }: Tariff, account: string): Contract {
  return contracts.get(account) ?? { list: PUBLIC_LIST, discount: 0, line: 0 };
}
