import type { ServiceType } from '#shared/guides/guide.ts';
import type { Parcel } from '#shared/guides/guide-price.ts';
import {
  CENTIMETRES,
  type Cell,
  DECLARED,
  KILOGRAMS,
  PERCENTAGE,
  positive,
  TIME_OF_DAY,
  whole,
  YES_NO,
} from './cells.ts';
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
  routes: ReadonlyMap<string, TariffRoute>;
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

/** The parameters of a tariff: name and cell of each in parametros.csv, and its value where the file lacks it. */
export const PARAMETERS = {
  /** Cubic centimetres that count as a kilogram. */
  divisor: { name: 'Divisor', cell: whole(1, 100_000), byDefault: 5_000 },
  /** Weights are billed in steps of so many grams. */
  stepGrams: { name: 'EscalonKg', cell: positive(KILOGRAMS), byDefault: 1_000 },
  maxGrams: { name: 'MaximoKg', cell: positive(KILOGRAMS) },
  /** Longest side of a package. */
  maxMillimetres: { name: 'MaximoCm', cell: positive(CENTIMETRES) },
  vat: { name: 'IVA', cell: PERCENTAGE, byDefault: 1_600 },
  /** Of guides with both ends in the area `frontera`; by default the same as `vat`. */
  borderVat: { name: 'IVAFrontera', cell: PERCENTAGE, byDefault: 'vat' },
  /** Days that a quote binds, after its own. */
  validDays: { name: 'VigenciaDias', cell: whole(0, 90), byDefault: 7 },
  /** Parcels received before this minute of a day begin to count that day. */
  cutoffMinute: { name: 'Corte', cell: TIME_OF_DAY, byDefault: 17 * 60 },
  /** Whether Saturdays are working days. */
  saturday: { name: 'Sabado', cell: YES_NO, byDefault: true },
} as const satisfies Record<
  string,
  { name: string; cell: Cell<number> | Cell<boolean>; byDefault?: unknown }
>;
export type Parameters = {
  [P in keyof typeof PARAMETERS]: (typeof PARAMETERS)[P]['cell'] extends Cell<infer Value> ? Value : never;
};

/** Working days that a parcel takes. */
export type TariffRoute = {
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

/**
 * The measures of a parcel above which a surcharge may apply, and the cell of the limit. A guide may be less than its quote, so
 * a parcel that is more in any of them must never cost less.
 */
export const SURCHARGED_MEASURES = {
  lado: { of: ({ sides }: Parcel) => sides[2], cell: CENTIMETRES },
  peso: { of: ({ grams }: Parcel) => grams, cell: KILOGRAMS },
  declarado: { of: ({ declared }: Parcel) => declared, cell: DECLARED },
  cobro: { of: ({ cod = 0 }: Parcel) => cod, cell: DECLARED },
} as const;
export type SurchargedMeasure = keyof typeof SURCHARGED_MEASURES;

export type Surcharge = {
  name: string;
  /** `above`: millimetres, grams or centavos. */
  applies: 'siempre' | { area: string } | { measure: SurchargedMeasure; above: number };
  amount: number;
  percentage: number;
  base: 'flete' | 'subtotal' | 'declarado' | 'cobro';
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
