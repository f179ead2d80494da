import type { ServiceType } from '#shared/guides/guide.ts';
import type { GuidePrice, Parcel } from '#shared/guides/guide-price.ts';
import {
  formatCentimetres,
  formatKilograms,
  formatPercent,
  formatPesos,
  percentOf,
  toPesos,
} from '../../platform/amounts.ts';
import {
  BORDER_AREA,
  type Break,
  contractOf,
  priceKey,
  routeKey,
  SURCHARGED_MEASURES,
  type Surcharge,
  type Tariff,
  type TariffRoute,
} from './tariff.ts';

/**
 * One line of a price, and what it was computed from. The amount is in centavos, negative for the discount. The freight is
 * that of the weights up to `upToGrams`, and of `extraGrams` beyond. If the packages of the guide differ, it is for
 * `packages` of them. Any other line is `fixed` centavos for each of `count`, and a percentage of its base. It is at least
 * the minimum.
 */
export type PriceLine = { concept: string; amount: number } & (
  | { upToGrams: number; extraGrams: number; packages?: number }
  | { percentage: number; base: number; minimum: number; fixed: number; count: number }
);

/** What a parcel costs with one service. Amounts in centavos, weights of one package in grams. */
export type Price = {
  list: string;
  zone: string;
  lines: PriceLine[];
  /** Freight less discount. */
  freight: number;
  /** The sum of all lines. */
  total: number;
  /** Of the package that counts as the heaviest. */
  volumetricGrams: number;
  billedGrams: number;
  /** Working days that the parcel takes. */
  minDays: number;
  maxDays: number;
};

/** Why there is no price. */
export type NoPrice =
  | { reason: 'too-heavy'; grams: number; maximum: number }
  | { reason: 'too-long'; millimetres: number; maximum: number }
  /** No group has the postal code. */
  | { reason: 'no-group'; end: 'origin' | 'destination'; postalCode: string }
  /** The account's list has no price for the service in the zone. */
  | { reason: 'no-price'; service: ServiceType; list: string; zone: string };

/** Prices a parcel of an account (docs/tarifas.md "Cómo sale un precio"). Integers only; every line is rounded half up. */
export function priceParcel(tariff: Tariff, account: string, parcel: Parcel): Price | NoPrice {
  return priceParcels(tariff, account, [parcel]);
}

/**
 * Prices the packages of one guide, alike or not, as `priceParcel` does. A surcharge counts if it applies to one of them, and
 * one on each package for those to which it applies.
 *
 * @param parcels differ in weight, sides and number of packages alone.
 */
export function priceParcels(
  tariff: Tariff,
  account: string,
  parcels: readonly [Parcel, ...Parcel[]],
): Price | NoPrice {
  const weights = parcels.map((parcel) => weigh(tariff, parcel));
  const tooLarge = weights.find((weight) => 'reason' in weight);
  if (tooLarge) return tooLarge;
  const [anyParcel] = parcels;
  const route = routeOf(tariff, anyParcel);
  if ('reason' in route) return route;
  const { zone } = route;
  const { list, discount } = contractOf(tariff, account);

  const lines = new Lines();
  let heaviest: Weight = { volumetricGrams: 0, billedGrams: 0 };
  for (const [i, parcel] of parcels.entries()) {
    const weight = weights[i] as Weight;
    if (weight.billedGrams > heaviest.billedGrams) heaviest = weight;
    const found = findBreak(tariff, list, zone, parcel, weight.billedGrams);
    if (!found) return { reason: 'no-price', service: parcel.service, list, zone };
    const { upToGrams, extraGrams } = found;
    const some = parcels.length > 1 && { packages: parcel.packages };
    lines.add({ concept: 'flete', amount: found.price * parcel.packages, upToGrams, extraGrams, ...some });
  }
  lines.addPercentage('descuento', discount, -1);
  const freight = lines.sum;
  let extraDays = 0;
  for (const surcharge of tariff.surcharges) {
    const concerned = parcels.filter((parcel) => applies(surcharge, tariff, parcel));
    if (concerned.length === 0) continue;
    const { declared: declarado, cod: cobro = 0 } = anyParcel;
    const base = { flete: freight, subtotal: lines.sum, declarado, cobro }[surcharge.base];
    const packages = concerned.reduce((sum, parcel) => sum + parcel.packages, 0);
    lines.add(surchargeLine(surcharge, base, surcharge.perPackage ? packages : 1));
    extraDays += surcharge.days;
  }
  lines.addPercentage(
    'iva',
    isAtBorder(tariff, anyParcel) ? tariff.parameters.borderVat : tariff.parameters.vat,
  );
  return {
    ...{ list, zone, lines: lines.shown, freight, total: lines.sum },
    ...heaviest,
    minDays: route.minDays + extraDays,
    maxDays: route.maxDays + extraDays,
  };
}

/** Of one package, in grams. */
type Weight = Pick<Price, 'volumetricGrams' | 'billedGrams'>;

function weigh({ parameters }: Tariff, { grams, sides }: Parcel): Weight | NoPrice {
  const volumetricGrams = volumetric(sides, parameters.divisor);
  const billedGrams = roundUp(Math.max(grams, volumetricGrams), parameters.stepGrams);
  if (billedGrams > parameters.maxGrams) {
    return { reason: 'too-heavy', grams: billedGrams, maximum: parameters.maxGrams };
  }
  const longest = sides[2];
  if (longest > parameters.maxMillimetres) {
    return { reason: 'too-long', millimetres: longest, maximum: parameters.maxMillimetres };
  }
  return { volumetricGrams, billedGrams };
}

/** The lines of one price; those of nothing are left out. */
class Lines {
  readonly shown: PriceLine[] = [];
  sum = 0;

  add(line: PriceLine): void {
    if (line.amount === 0) return;
    this.shown.push(line);
    this.sum += line.amount;
  }

  /** Adds, or takes away, a percentage of the lines so far. */
  addPercentage(concept: string, percentage: number, sign: 1 | -1 = 1): void {
    const base = this.sum;
    const amount = sign * percentOf(base, percentage);
    this.add({ concept, amount, percentage, base, minimum: 0, fixed: 0, count: 1 });
  }
}

/** Returns the grams that a volume counts as. `divisor`: cubic centimetres a kilogram, so cubic millimetres a gram. */
function volumetric([one, two, three]: Parcel['sides'], divisor: number): number {
  return Math.ceil((one * two * three) / divisor);
}

function roundUp(grams: number, step: number): number {
  return Math.ceil(grams / step) * step;
}

function routeOf({ groups, routes }: Tariff, { origin, destination }: Parcel): TariffRoute | NoPrice {
  const from = groups.nameOf(origin);
  if (from === undefined) return { reason: 'no-group', end: 'origin', postalCode: origin };
  const to = groups.nameOf(destination);
  const route = to === undefined ? undefined : routes.get(routeKey(from, to));
  return route ?? { reason: 'no-group', end: 'destination', postalCode: destination };
}

/** The price of one package: a break's, and how many steps beyond the last one it has. */
type FoundBreak = { price: number; upToGrams: number; extraGrams: number };

/** Returns the least break that holds the weight, of the parcel's own type or else of any; or undefined. */
function findBreak(
  { prices, parameters }: Tariff,
  list: string,
  zone: string,
  { service, type }: Parcel,
  grams: number,
): FoundBreak | undefined {
  const { breaks } =
    prices.get(priceKey(list, service, type, zone)) ?? prices.get(priceKey(list, service, '', zone)) ?? {};
  const found = breaks?.find(({ upToGrams }) => upToGrams >= grams);
  if (found) return { price: found.price, upToGrams: found.upToGrams, extraGrams: 0 };
  const last = breaks?.at(-1) as Break | undefined;
  if (last?.extra === undefined) return undefined;
  const extraGrams = grams - last.upToGrams;
  const steps = Math.ceil(extraGrams / parameters.stepGrams);
  return { price: last.price + steps * last.extra, upToGrams: last.upToGrams, extraGrams };
}

function applies({ applies: when }: Surcharge, { areas }: Tariff, parcel: Parcel): boolean {
  if (when === 'siempre') return true;
  if ('area' in when) return areas.get(when.area)?.nameOf(parcel.destination) !== undefined;
  return SURCHARGED_MEASURES[when.measure].of(parcel) > when.above;
}

function surchargeLine(
  { name, amount: fixed, percentage, minimum }: Surcharge,
  base: number,
  count: number,
): PriceLine {
  const amount = Math.max(minimum, fixed * count + percentOf(base, percentage));
  return { concept: name, amount, percentage, base: percentage > 0 ? base : 0, minimum, fixed, count };
}

function isAtBorder({ areas }: Tariff, { origin, destination }: Parcel): boolean {
  const border = areas.get(BORDER_AREA);
  return border?.nameOf(origin) !== undefined && border.nameOf(destination) !== undefined;
}

/** Returns the lines of a price as the wire has them. @param packages of the guide. */
export function describeLines(
  { lines, zone }: Pick<Price, 'lines' | 'zone'>,
  packages: number,
): GuidePrice['quote']['Conceptos'] {
  return lines.map((line) => ({
    Concepto: line.concept,
    Descripcion: describeLine(line, zone, packages),
    Importe: toPesos(line.amount),
  }));
}

/** Says how a line was computed, for the customer who pays it: `11.5 % de 127.80`. */
export function describeLine(line: PriceLine, zone: string, packages: number): string {
  if ('upToGrams' in line) {
    const extra = line.extraGrams > 0 ? ` y ${formatKilograms(line.extraGrams)} mas` : '';
    return `Zona ${zone}, hasta ${formatKilograms(line.upToGrams)}${extra}${times(line.packages ?? packages)}`;
  }
  const { percentage, base, minimum, fixed, count } = line;
  const sum = [
    ...(fixed > 0 ? [`${formatPesos(fixed)}${times(count)}`] : []),
    ...(percentage > 0 ? [`${formatPercent(percentage)} de ${formatPesos(base)}`] : []),
  ].join(' y ');
  return [...(sum ? [sum] : []), ...(minimum > 0 ? [`minimo ${formatPesos(minimum)}`] : [])].join(', ');
}

function times(count: number): string {
  return count > 1 ? ` × ${count}` : '';
}

/** Says why there is no price, for the customer and for those who keep the tariff. */
export function describeNoPrice(noPrice: NoPrice): string {
  switch (noPrice.reason) {
    case 'too-heavy': {
      const [weight, maximum] = [noPrice.grams, noPrice.maximum].map(formatKilograms);
      return `el paquete pesa ${weight}, real o volumetrico, y el maximo es ${maximum}`;
    }
    case 'too-long': {
      const [length, maximum] = [noPrice.millimetres, noPrice.maximum].map(formatCentimetres);
      return `el lado mayor mide ${length} y el maximo es ${maximum}`;
    }
    case 'no-group':
      return `el codigo postal ${noPrice.postalCode} no tiene zona`;
    case 'no-price':
      return `no hay precio de ${noPrice.service} en la zona ${noPrice.zone}, lista ${noPrice.list}`;
  }
}
