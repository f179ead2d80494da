import type { UnmeasuredParcel, UnquotedPrice } from '#shared/guides/guide-price.ts';
import { isMeasured } from './parcel.ts';
import type { NumberedTariff } from './tariffs/current-tariff.ts';
import { priceParcels } from './tariffs/price.ts';

/**
 * Prices a guide without a quote, for its bill alone (k8s/operations.md "Billing").
 *
 * @param parcels its packages, those that are alike together.
 */
export function priceForBill(
  { version, tariff }: NumberedTariff,
  account: string,
  parcels: readonly UnmeasuredParcel[],
): UnquotedPrice {
  const measured = parcels.filter(isMeasured);
  const [first, ...others] = measured;
  if (!first || measured.length < parcels.length) return { version, noPrice: 'no-measures' };
  const price = priceParcels(tariff, account, [first, ...others]);
  return 'reason' in price ? { version, noPrice: price.reason } : { version, total: price.total };
}
