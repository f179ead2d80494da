import type { Connection } from 'mongoose';
import type { Adjustment } from '#shared/guides/adjustment.ts';
import type { GuidePrice, Parcel, UnmeasuredParcel } from '#shared/guides/guide-price.ts';
import { DatabaseClock } from '#shared/stores/database-clock.ts';
import type { Adjuster, AdjustersOf, Weighing } from '../guides/adjusting.ts';
import { toCentavos, toPesos, toUnits } from '../platform/amounts.ts';
import { sidesInOrder } from './parcel.ts';
import { priceForBill } from './price-for-bill.ts';
import { CurrentTariff, type NumberedTariff } from './tariffs/current-tariff.ts';
import { describeLines, describeNoPrice, type PriceLine, priceParcels } from './tariffs/price.ts';
import { TariffStore } from './tariffs/tariff-store.ts';

/**
 * Returns a function that prices weighings by the tariff version of each guide's own quote, whatever is in force
 * (docs/contract.md "Quotes"); of a guide without a quote, by that of its creation.
 *
 * @param onMissing is called with a version that the log of tariffs lost, or that a later release stored.
 */
export function adjusters(
  tariffs: Pick<CurrentTariff, 'of'>,
  onMissing: (version: number) => void = () => {},
): AdjustersOf {
  return async (guides) => {
    const adjusters = new Map<string, Adjuster>();
    // Version by version: of those that are no longer in force, only some stay in memory.
    for (const [version, alike] of Map.groupBy(guides, versionOf)) {
      if (version === undefined) continue;
      const tariff = await tariffs.of(version);
      if (!tariff) {
        onMissing(version);
        continue;
      }
      for (const guide of alike) {
        const adjuster = adjusterOf(guide, { version, tariff });
        if (adjuster) adjusters.set(guide._id, adjuster);
      }
    }
    return adjusters;
  };
}

type Weighed = Parameters<AdjustersOf>[0][number];

/** A guide of 1.4.0 lacks what was priced. So does an anonymised one, and before 1.9.0 one without a quote. */
function versionOf({ quote, unquoted, priced }: Weighed): number | undefined {
  if (!priced) return undefined;
  return quote ? quote.Tarifa.Version : unquoted?.version;
}

function adjusterOf({ quote, priced }: Weighed, tariff: NumberedTariff): Adjuster | undefined {
  if (!priced) return undefined;
  if (!quote) {
    const { account, parcel } = priced;
    return (weighings) => ({
      unquoted: priceForBill(tariff, account, weighedParcels(parcel, weighings)),
    });
  }
  const quoted = priced as GuidePrice['priced'];
  return (weighings) => ({ adjustment: adjust(quote, tariff, quoted, weighings) });
}

/** Prices weighings by the tariffs that are stored, for commands. */
export function storedAdjusters(mongo: Connection): AdjustersOf {
  return adjusters(new CurrentTariff(new TariffStore(mongo), new DatabaseClock(mongo)));
}

/** Most lines of one concept that a description names. */
const MAX_DESCRIBED = 5;

type Lines = GuidePrice['quote']['Conceptos'];
type Weighings = Parameters<Adjuster>[0];

function adjust(
  { Conceptos: before }: GuidePrice['quote'],
  { version, tariff }: NumberedTariff,
  { account, parcel }: GuidePrice['priced'],
  weighings: Weighings,
): Adjustment {
  const now = priceParcels(tariff, account, weighedParcels(parcel, weighings));
  const whole = { Version: version, Antes: toPesos(sumOf(before)) };
  if ('reason' in now) return { ...whole, SinPrecio: describeNoPrice(now) };
  const Diferencia = toPesos(now.total - sumOf(before));
  const Lineas = compared(before, describeLines({ ...now, lines: merged(now.lines) }, parcel.packages));
  return { ...whole, Ahora: toPesos(now.total), Diferencia, Lineas };
}

/** Returns the packages of a guide as they were weighed, or as it was created, those that are alike together. */
function weighedParcels<P extends UnmeasuredParcel>(created: P, weighings: Weighings): [P, ...P[]] {
  const alike = new Map<string, P>();
  for (const weighing of weighings) {
    const parcel = { ...created, ...(weighing && measuresOf(weighing)) };
    const measures = `${parcel.grams} ${parcel.sides}`;
    alike.set(measures, { ...parcel, packages: (alike.get(measures)?.packages ?? 0) + 1 });
  }
  return [...alike.values()] as [P, ...P[]];
}

/** Without sides, those of the creation count. */
function measuresOf({ Peso, Largo, Alto, Ancho }: Weighing): Partial<Parcel> {
  const grams = toUnits(Peso, 1_000);
  if (Largo === undefined || Alto === undefined || Ancho === undefined) return { grams };
  return { grams, sides: sidesInOrder([Largo, Alto, Ancho]) };
}

type FreightLine = Extract<PriceLine, { upToGrams: number }>;

function isFreight(line: PriceLine): line is FreightLine {
  return 'upToGrams' in line;
}

/** Adds up the freight of packages that differ in what they weigh, and cost the same. */
function merged(lines: readonly PriceLine[]): PriceLine[] {
  const freight = new Map<string, FreightLine>();
  for (const line of lines.filter(isFreight)) {
    const price = `${line.upToGrams} ${line.extraGrams}`;
    const same = freight.get(price);
    const [amount, packages] = [
      line.amount + (same?.amount ?? 0),
      (line.packages ?? 0) + (same?.packages ?? 0),
    ];
    freight.set(price, same ? { ...same, amount, packages } : line);
  }
  return [...freight.values(), ...lines.filter((line) => !isFreight(line))];
}

/** Sets the lines of two prices side by side, by concept; unlike packages have several lines of freight. */
function compared(before: Lines, now: Lines): NonNullable<Adjustment['Lineas']> {
  const names = new Set([...now, ...before].map(({ Concepto }) => Concepto));
  return [...names].map((name) => {
    const isOfName = ({ Concepto }: Lines[number]) => Concepto === name;
    const [earlier, later] = [before.filter(isOfName), now.filter(isOfName)];
    const [Antes, Ahora] = [sumOf(earlier), sumOf(later)];
    return {
      Concepto: name,
      Descripcion: described(later.length > 0 ? later : earlier),
      Antes: toPesos(Antes),
      Ahora: toPesos(Ahora),
      Diferencia: toPesos(Ahora - Antes),
    };
  });
}

/** Packages that differ may have a line of freight each, and every further event of the guide has the text. */
function described(lines: Lines): string {
  const text = lines
    .slice(0, MAX_DESCRIBED)
    .map(({ Descripcion }) => Descripcion)
    .join('; ');
  const others = lines.length - MAX_DESCRIBED;
  return others > 0 ? `${text}; y ${others} más` : text;
}

/** In centavos. */
function sumOf(lines: Lines): number {
  return lines.reduce((sum, { Importe }) => sum + toCentavos(Importe), 0);
}
