import { inTurns } from '#shared/async/in-turns.ts';
import type { SentGuide } from '#shared/guides/guide.ts';
import type { GuidePrice, UnquotedPrice, WithoutPrice, WithoutQuote } from '#shared/guides/guide-price.ts';
import type { FoundPrice, PriceRequest } from '../guides/pricing.ts';
import type { GuideDestination } from '../guides/resolve-branches.ts';
import { type HonourDeps, honourQuotes, toGuidePrice } from './honour-quotes.ts';
import { isMeasured, unmeasuredParcelOf } from './parcel.ts';
import { priceForBill } from './price-for-bill.ts';
import { quoteParcel } from './quote.ts';
import type { CurrentTariff, NumberedTariff } from './tariffs/current-tariff.ts';

/** Longest wait for the log of tariffs, in ms. Only a process that has just started has not read it yet. */
const FIRST_LOOK_MS = 1_000;

/**
 * Returns what guides cost: by their quotes, or by the tariff in force (docs/contract.md "Quotes"). Without a setting of its
 * account a guide is never refused because its price is unknown.
 *
 * @throws DomainError as `honourQuotes` does; `unavailable` if the account has a setting for guides without a quote, and the
 * tariff in force cannot be read.
 */
export async function priceGuides(deps: HonourDeps, request: PriceRequest): Promise<FoundPrice[]> {
  const { guides, unquotedGuides } = request;
  const needsTariff =
    unquotedGuides !== 'ignore' && guides.some(({ Cotizacion }) => Cotizacion === undefined);
  if (!needsTariff) return honourQuotes(deps, request);
  const { tariffs, localTime } = deps;
  await tariffs.firstLook(FIRST_LOOK_MS);
  const now = tariffs.now();
  const tariff = unquotedGuides === 'bill' ? tariffOrReason(tariffs, now) : tariffAt(tariffs, now);
  const prices = await honourQuotes(deps, request);
  const basis = { ...request, localTime, tariff, now };
  return inTurns(guides, (guide, indice) => {
    const destination = request.destinations[indice] as GuideDestination;
    return prices[indice] ?? priceUnquoted(basis, guide, destination);
  });
}

/** The tariff in force, or why it prices nothing. */
type TariffNow = NumberedTariff | WithoutPrice;

/** @throws DomainError as `CurrentTariff.at` does. */
function tariffAt(tariffs: CurrentTariff, now: number): TariffNow {
  return tariffs.at(now) ?? { noPrice: 'no-tariff' };
}

function tariffOrReason(tariffs: CurrentTariff, now: number): TariffNow {
  try {
    return tariffAt(tariffs, now);
  } catch {
    const version = tariffs.versionAt(now);
    return { ...(version !== undefined && { version }), noPrice: 'tariff-unread' };
  }
}

type Basis = Pick<PriceRequest, 'user' | 'service' | 'origin' | 'unquotedGuides'> &
  Pick<HonourDeps, 'localTime'> & { tariff: TariffNow; now: number };

function priceUnquoted(
  { user: { account }, service, origin, unquotedGuides, localTime, tariff, now }: Basis,
  guide: SentGuide,
  destination: GuideDestination,
): GuidePrice | WithoutQuote {
  const parcel = unmeasuredParcelOf(service, guide, { origin, destination });
  const without = (unquoted: UnquotedPrice): WithoutQuote => ({
    ...{ freight: 0, total: 0 },
    unquoted: { ...unquoted, ...(unquotedGuides === 'price' && { warned: true }) },
    priced: { account, parcel },
  });
  if ('noPrice' in tariff) return without(tariff);
  if (unquotedGuides !== 'price' || !isMeasured(parcel))
    return without(priceForBill(tariff, account, [parcel]));
  const codes = { origin: origin.Codigo, destination: destination.branch.Codigo };
  const quote = quoteParcel({ tariff, account, now, localTime }, parcel, codes);
  if ('reason' in quote) return without({ version: tariff.version, noPrice: quote.reason });
  return toGuidePrice(quote, account, now, localTime);
}
