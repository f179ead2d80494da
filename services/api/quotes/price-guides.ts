import { inTurns } from '#shared/async/in-turns.ts';
import type { Branch } from '#shared/branches/branch.ts';
import type { Parcel, UnmeasuredParcel, UnquotedPrice, WithoutQuote } from '#shared/guides/guide-price.ts';
import type { FoundPrice, PriceRequest } from '../guides/pricing.ts';
import { type HonourDeps, honourQuotes } from './honour-quotes.ts';
import { unmeasuredParcelOf } from './parcel.ts';
import type { CurrentTariff, NumberedTariff } from './tariffs/current-tariff.ts';
import { priceParcel } from './tariffs/price.ts';

/** Longest wait for the log of tariffs, in ms. Only a process that has just started has not read it yet. */
const FIRST_LOOK_MS = 1_000;

/**
 * Returns what guides cost: by their quotes, or for the bill alone by the tariff in force (docs/contract.md "Quotes"). A guide
 * without a quote is never refused because its price is unknown.
 *
 * @throws DomainError as `honourQuotes` does.
 */
export async function priceGuides(deps: HonourDeps, request: PriceRequest): Promise<FoundPrice[]> {
  const prices = await honourQuotes(deps, request);
  if (request.unquotedGuides === 'ignore' || !prices.includes(undefined)) return prices;
  const { tariffs } = deps;
  await tariffs.firstLook(FIRST_LOOK_MS);
  const tariff = tariffNow(tariffs);
  return inTurns(request.guides, (_, indice) => prices[indice] ?? forBill(tariff, request, indice));
}

/** The tariff in force, or why it prices nothing. */
type TariffNow = NumberedTariff | Extract<UnquotedPrice, { noPrice: unknown }>;

function tariffNow(tariffs: CurrentTariff): TariffNow {
  const now = tariffs.now();
  try {
    return tariffs.at(now) ?? { noPrice: 'no-tariff' };
  } catch {
    const version = tariffs.versionAt(now);
    return { ...(version !== undefined && { version }), noPrice: 'tariff-unread' };
  }
}

function forBill(
  tariff: TariffNow,
  { account, service, guides, origin, destinations }: PriceRequest,
  indice: number,
): WithoutQuote {
  const guide = guides[indice] as PriceRequest['guides'][number];
  const parcel = unmeasuredParcelOf(service, guide, { origin, destination: destinations[indice] as Branch });
  return {
    freight: 0,
    total: 0,
    unquoted: unquotedPrice(tariff, account, parcel),
    priced: { account, parcel },
  };
}

function unquotedPrice(tariff: TariffNow, account: string, parcel: UnmeasuredParcel): UnquotedPrice {
  if ('noPrice' in tariff) return tariff;
  const { version } = tariff;
  if (!isMeasured(parcel)) return { version, noPrice: 'no-measures' };
  const found = priceParcel(tariff.tariff, account, parcel);
  return 'reason' in found ? { version, noPrice: found.reason } : { version, total: found.total };
}

function isMeasured(parcel: UnmeasuredParcel): parcel is Parcel {
  return parcel.grams !== undefined && parcel.sides !== undefined;
}
