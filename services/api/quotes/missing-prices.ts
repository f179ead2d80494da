import type { Problem } from '#shared/errors/domain-error.ts';
import type { SentGuide } from '#shared/guides/guide.ts';
import { NO_PRICE_WORDS, type NoPriceReason } from '#shared/guides/guide-price.ts';
import type { PricedGuide } from '../guides/pricing.ts';
import { missingMeasures } from './parcel.ts';

/** The fields that decide; a postal code may be the origin's, which is no field of a guide. */
const BLAMED: Partial<Record<NoPriceReason, string>> = {
  'too-heavy': 'Producto.Peso',
  'too-long': 'Producto.Largo',
  'no-price': 'TipoServicio',
};

/** Returns warnings of missing prices. A repeated answer has those of the first one, which are stored. */
export function warnOfMissingPrices(
  prices: readonly PricedGuide[],
  guides: readonly (SentGuide | undefined)[],
): Problem[] {
  return guides.flatMap((guide, indice) => {
    const price = prices[indice];
    const unquoted = price && 'unquoted' in price && price.unquoted;
    if (!guide || !unquoted || !('noPrice' in unquoted) || !unquoted.warned) return [];
    return [warning(indice, unquoted.noPrice, guide)];
  });
}

function warning(indice: number, reason: NoPriceReason, guide: SentGuide): Problem {
  const missing = reason === 'no-measures' ? missingMeasures(guide).map((name) => `Producto.${name}`) : [];
  const explanation = missing.length > 0 ? `falta ${missing.join(', ')}` : NO_PRICE_WORDS[reason];
  const campo = missing[0] ?? BLAMED[reason];
  return { indice, ...(campo && { campo }), code: 'price-missing', params: { explanation } };
}
